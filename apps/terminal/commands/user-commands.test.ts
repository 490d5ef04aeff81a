import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { App } from '../app/app.ts';
import { readUserCommands } from './user-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'klaus-commands-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILES = {
  '.klaus/commands/fix.md':
    '---\ndescription: "Fix an issue"\nargument-hint: NUMBER\n---\nFix $1 in $2. All: $ARGUMENTS\n',
  '.klaus/commands/review/api.md': 'Review the API.\n',
  '.klaus/commands/check.md': 'Look at !`git diff` and !`git log`.\n',
  '.klaus/commands/no name.md': 'No.\n',
  '.claude/commands/fix.md': 'Hidden.\n',
};
for (const [path, text] of Object.entries(FILES)) {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const commands = new Map(readUserCommands(folder).map((command) => [command.name, command]));

/** What a command sends, and the dialogs that it opens. */
function run(name: string, argument: string) {
  const sent: string[] = [];
  const dialogs: unknown[] = [];
  const app = {
    submit: ({ text }: { text: string }) => void sent.push(text),
    openDialog: (dialog: unknown) => void dialogs.push(dialog),
    screen: { terminal: { rows: 24 } },
    style: { palette: {} },
  } as unknown as App;
  void commands.get(name)!.run(app, argument);
  return { sent, dialogs: dialogs.length };
}

test('files are commands; the first folder wins a name, and folders are a part of it', () => {
  expect(commands.get('fix')).toMatchObject({ argument: 'NUMBER', summary: 'Fix an issue' });
  expect(commands.get('review:api')).toMatchObject({ summary: 'Review the API.' });
  expect(commands.has('no name')).toBe(false);
});

test('arguments are replaced, and follow a text without a place for them', () => {
  expect(run('fix', '7 src')).toEqual({ sent: ['Fix 7 in src. All: 7 src'], dialogs: 0 });
  expect(run('review:api', 'v2')).toEqual({ sent: ['Review the API.\n\nv2'], dialogs: 0 });
});

test('shell commands of a file run only after a confirmation', () => {
  expect(run('check', '')).toEqual({ sent: [], dialogs: 1 });
});
