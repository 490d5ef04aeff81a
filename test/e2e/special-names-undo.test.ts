// Covers adapters/workspace/snapshots, adapters/tools/git: unusual names in undo, redo, diffs and the results of git.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quoteShellWord } from '@klaus/core/protocol';
import { expect } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { toSpecialPath } from '../fixtures/special-names.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext } from '../fixtures/tool-context.ts';

const ALL = 500;
const CONTROLS = ['\u0001start', 'bell\u0007', 'esc\u001b[31m', 'del\u007f', 'x'.repeat(255), '漢'.repeat(85)];
/** A name that is no UTF-8, as Latin 1, and as it is shown. */
const BAD = 'bad\xff\xfe.txt';
const SHOWN = 'bad\\xff\\xfe.txt';

const putBytes = (folder: string, name: string, content: string) =>
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]), content);

/** Names as bytes, modes and contents of all files and folders. */
function look(folder: string): string[] {
  const find = (...words: string[]) =>
    execFileSync('find', ['.', '-path', './.git', '-prune', '-o', ...words], { cwd: folder, encoding: 'latin1' });
  return [
    find('-printf', '%y %m %p\\0').split('\0'),
    find('-type', 'f', '-exec', 'sha256sum', '-z', '{}', '+').split('\0'),
  ]
    .flat()
    .toSorted();
}

test(`${ALL} names are undone and redone as they are`, { tags: ['long'], timeout: 300_000 }, async () => {
  // A name with a tilde at its end is a backup of an editor, so that an undo asks about it.
  const made = Array.from({ length: ALL }, (_, index) => toSpecialPath(index)).filter(
    (path) => path && !path.endsWith('~'),
  );
  // Each in a folder of its own, so that none is the folder of another.
  const paths = [...made, ...CONTROLS].map((path, index) => `${index % 20}/${index}/${path}`);
  const turns = {
    steps: [
      { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'sh change.sh' } }] } },
      { when: { turn: 1 }, reply: { text: 'Done.' } },
    ],
  };
  await using engine = await createTestEngine({
    script: turns,
    files: {},
    settings: { 'sandbox.driver': 'bubblewrap' },
  });
  const { workspace } = engine.place;
  for (const path of paths) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), `${path}\n`);
  }
  // Changed, removed, moved, in a folder of such a name, and text that only looks like one.
  for (const name of [BAD, `gone${BAD}`, `old${BAD}`, 'plain\\xff.txt']) putBytes(workspace, name, 'bad\n');
  mkdirSync(Buffer.from(`${workspace}/folder\xff`, 'latin1'));
  putBytes(workspace, 'folder\xff/in.txt', 'in\n');
  symlinkSync('plain.txt', Buffer.from(`${workspace}/link\xfe`, 'latin1'));
  const lines = paths.map((path, index) => {
    const word = quoteShellWord(`./${path}`);
    const forms = [`echo more >>${word}`, `rm ${word}`, `mv ${word} ./moved-${index}`, `chmod 700 ${word}`];
    return forms[index % forms.length]!;
  });
  const bytes = [
    `echo more >>'${BAD}'`,
    `rm 'gone${BAD}' 'link\xfe'`,
    `mv 'old${BAD}' 'new${BAD}'`,
    "echo more >>'folder\xff/in.txt'; mkdir 'made\xff'; echo new >'made\xff/new.txt'",
    "echo more >>'plain\\xff.txt'",
  ];
  const script = `set -e\n${lines.join('\n')}\n`;
  writeFileSync(
    join(workspace, 'change.sh'),
    Buffer.concat([Buffer.from(script), Buffer.from(bytes.join('\n'), 'latin1')]),
  );
  const before = look(workspace);
  const session = await engine.klaus.open();
  await session.prompt('go');
  await session.advance();
  expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')[0]?.outcome).toBe('ok');
  const after = look(workspace);
  const { changes } = await session.turnChanges('all');
  const changed = new Set(changes.map(({ path }) => path));
  const spelled = [
    SHOWN,
    `gone${SHOWN}`,
    `new${SHOWN}`,
    'link\\xfe',
    'folder\\xff/in.txt',
    'made\\xff/new.txt',
    'plain\\x5cxff.txt',
  ];
  expect([...paths, ...spelled].filter((path) => !changed.has(path))).toEqual([]);
  const undone = await session.restore({ kind: 'undo', turn: 1 }, { by: 'test' });
  expect(undone).toMatchObject({ done: true, uncovered: [] });
  expect(look(workspace)).toEqual(before);
  expect(await session.restore({ kind: 'redo' }, { by: 'test' })).toMatchObject({ done: true });
  expect(look(workspace)).toEqual(after);
});

test('a name that is not UTF-8 is shown in one way by the tools of git', async () => {
  using place = createTestHome({ 'a.txt': 'a\n' });
  const { workspace, home } = place;
  putBytes(workspace, BAD, 'one\n');
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@localhost'];
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: workspace, env: place.env });
  git('add', '-A');
  git('commit', '-q', '-m', 'bad');
  putBytes(workspace, BAD, 'two\n');
  appendFileSync(join(workspace, 'a.txt'), 'b\n');
  const sandbox = await createSandbox({ workspace, home, env: place.env });
  const context = createToolContext({ workspace: await createWorkspace(workspace), sandbox });
  const call = async (name: string, input: object) => (await callTool(builtinTools, name, { input, context })).text;
  expect(await call('git_status', {})).toContain(SHOWN);
  expect(await call('git_diff', {})).toContain(`${SHOWN}"\n+++`.replace('"', ''));
  expect(await call('git_checkpoint', {})).toContain(SHOWN);
  expect(await call('git_commit', { message: 'Change', all: true })).toContain(SHOWN);
});
