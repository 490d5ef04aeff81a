// Covers apps/terminal, apps/cli/chat: the interactive terminal, as a user sees it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, startServer, toEnv } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const SCRIPT: Script = {
  steps: [
    {
      when: { user: 'fix', turn: 0 },
      reply: {
        thinking: 'The sign is wrong.',
        text: 'I look at the **code**.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
        calls: [{ name: 'read_file', input: { path: 'sum.js' } }],
      },
    },
    {
      when: { user: 'fix', turn: 1 },
      reply: { calls: [{ name: 'edit_file', input: { path: 'sum.js', edits: [{ old: 'a - b', new: 'a + b' }] } }] },
    },
    { when: { after: 'edit_file' }, reply: { text: 'Fixed: it adds now.' } },
  ],
  fallback: { text: 'Hello.' },
};

test.runIf(hasScript)('a prompt, its tools, an approval and the end of the session', async () => {
  using place = createTestHome({ 'sum.js': 'export const sum = (a, b) => a - b;\n' });
  await using server = await startServer(SCRIPT);
  const env = toEnv({ place, server });
  const command = [process.execPath, MAIN, 'chat', 'klaus', '--approve', 'ask'];
  await using terminal = await openEmulator(command, { env, cwd: place.workspace, columns: 80, rows: 30 });
  await terminal.shows('mode ask');
  terminal.type('fix the sum\r');
  await terminal.shows(/y approve.*n reject/);
  terminal.type('y');
  await terminal.shows('Fixed: it adds now.');
  expect(readFileSync(join(place.workspace, 'sum.js'), 'utf8')).toContain('a + b');
  await terminal.hides('Esc cancels');
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
  expect(terminal.output).not.toContain('\u001b[2J');
});
