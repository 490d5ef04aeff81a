// Covers core/agent/workspace, adapters/workspace/snapshots: undo, redo, restore and diff.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from '@klaus/adapters/store';
import type { Session } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

/** Eight kinds of change in one command. */
const EIGHT = [
  'echo changed >> edited.txt',
  'rm untracked.txt',
  'echo more >> ignored.log',
  'head -c 3000000 /dev/zero > large.bin',
  'mkdir -p new/folder',
  'rm tracked.txt',
  'chmod 755 mode.sh',
  'ln -sfn b.txt link',
].join(' && ');

const SANDBOXED = { 'sandbox.driver': 'bubblewrap' };

function prepare({ place }: TestEngine): void {
  const put = (path: string, text: string): void => writeFileSync(join(place.workspace, path), text);
  put('untracked.txt', 'keep me\n');
  put('ignored.log', 'log\n');
  symlinkSync('a.txt', join(place.workspace, 'link'));
  chmodSync(join(place.workspace, 'mode.sh'), 0o644);
}

/** All entries of a folder except git's own data: type, mode, content or target, by path. */
function look(folder: string, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, prefix))) {
    const path = prefix === '' ? name : `${prefix}/${name}`;
    if (path === '.git') continue;
    const stat = lstatSync(join(folder, path));
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(join(folder, path))}`;
    else if (stat.isDirectory()) Object.assign(found, { [path]: `folder ${mode}` }, look(folder, path));
    else found[path] = `file ${mode} ${readFileSync(join(folder, path), 'latin1')}`;
  }
  return found;
}

const files = {
  'edited.txt': 'one\n',
  'tracked.txt': 'tracked\n',
  'mode.sh': '#!/bin/sh\n',
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  '.gitignore': '*.log\n',
};

function script(...commands: string[]) {
  return {
    steps: [
      ...commands.map((command, turn) => ({
        when: { turn },
        reply: { calls: [{ name: 'run_command', input: { command } }] },
      })),
      { when: { turn: commands.length }, reply: { text: 'Done.' } },
    ],
  };
}

async function run(engine: TestEngine): Promise<Session> {
  const session = await engine.klaus.open();
  await session.prompt('go');
  await session.advance();
  return session;
}

const by = 'test';

describe.each(['with git', 'without git'])('%s', (kind) => {
  const open = async (...commands: string[]): Promise<TestEngine> => {
    const engine = await createTestEngine({ script: script(...commands), files, settings: SANDBOXED });
    if (kind === 'without git') {
      const { rmSync } = await import('node:fs');
      rmSync(join(engine.place.workspace, '.git'), { recursive: true });
    }
    prepare(engine);
    return engine;
  };

  test('one command with eight kinds of change is undone byte for byte, and redone', async () => {
    await using engine = await open(EIGHT);
    const { workspace } = engine.place;
    const before = look(workspace);
    const session = await run(engine);
    const after = look(workspace);
    expect(after).not.toEqual(before);
    const undone = await session.restore({ kind: 'undo' }, { by });
    expect(undone).toMatchObject({ done: true, turns: [1] });
    expect(look(workspace)).toEqual(before);
    expect(await session.restore({ kind: 'redo' }, { by })).toMatchObject({ done: true });
    expect(look(workspace)).toEqual(after);
    expect(await session.restore({ kind: 'undo' }, { by })).toMatchObject({ done: true });
    expect(look(workspace)).toEqual(before);
  });

  test('changes of the user are reported without a change, and are then kept', async () => {
    await using engine = await open(EIGHT);
    const { workspace } = engine.place;
    const before = look(workspace);
    const session = await run(engine);
    writeFileSync(join(workspace, 'edited.txt'), 'mine\n');
    const mine = look(workspace);
    const refused = await session.restore({ kind: 'undo' }, { by });
    expect(refused).toMatchObject({ done: false, conflicts: [{ path: 'edited.txt' }] });
    // A dry run reports the same.
    expect(await session.restore({ kind: 'undo' }, { by, dryRun: true })).toEqual(refused);
    expect(look(workspace)).toEqual(mine);
    const kept = await session.restore({ kind: 'undo' }, { by, conflicts: 'keep' });
    expect(kept).toMatchObject({ done: true, kept: [{ path: 'edited.txt' }] });
    expect(look(workspace)).toEqual({ ...before, 'edited.txt': mine['edited.txt'] });
  });
});

test('without arguments all changes of the last prompt are undone, then those of the prompt before', async () => {
  const [one, two, three] = script('echo 1 >> a.txt', 'echo 2 >> a.txt', 'echo 3 >> a.txt').steps;
  const steps = [one!, two!, { when: { turn: 2 }, reply: { text: 'Done.' } }, { ...three!, when: { turn: 3 } }];
  const fallback = { text: 'Done.' };
  await using engine = await createTestEngine({ script: { steps, fallback }, files, settings: SANDBOXED });
  const path = join(engine.place.workspace, 'a.txt');
  const session = await run(engine);
  for (const prompt of ['Repeat.', 'Thanks.']) {
    await session.prompt(prompt);
    await session.advance();
  }
  expect(readFileSync(path, 'utf8')).toBe('a\n1\n2\n3\n');
  // The last prompt changed nothing and is skipped.
  expect((await session.restore({ kind: 'undo' }, { by })).done).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('a\n1\n2\n');
  expect(await session.restore({ kind: 'undo' }, { by })).toMatchObject({ done: true, turns: [1, 2] });
  expect(readFileSync(path, 'utf8')).toBe('a\n');
  await session.restore({ kind: 'redo' }, { by });
  expect(readFileSync(path, 'utf8')).toBe('a\n1\n2\n');
});

describe('several turns', () => {
  const commands = ['echo 1 >> a.txt', 'echo 2 >> a.txt && echo 2 > two.txt', 'echo 3 >> a.txt'];

  test('are undone one by one, or from one on', async () => {
    await using engine = await createTestEngine({ script: script(...commands), files, settings: SANDBOXED });
    const session = await run(engine);
    const path = join(engine.place.workspace, 'a.txt');
    expect(readFileSync(path, 'utf8')).toBe('a\n1\n2\n3\n');
    await session.restore({ kind: 'undo', step: true }, { by });
    expect(readFileSync(path, 'utf8')).toBe('a\n1\n2\n');
    await session.restore({ kind: 'undo', step: true }, { by });
    expect(readFileSync(path, 'utf8')).toBe('a\n1\n');
    await session.restore({ kind: 'redo' }, { by });
    await session.restore({ kind: 'redo' }, { by });
    expect(readFileSync(path, 'utf8')).toBe('a\n1\n2\n3\n');
    expect(await session.restore({ kind: 'undo', turn: 2 }, { by })).toMatchObject({ turns: [2, 3] });
    expect(readFileSync(path, 'utf8')).toBe('a\n1\n');
    expect(existsSync(join(engine.place.workspace, 'two.txt'))).toBe(false);
    await expect(session.restore({ kind: 'undo', turn: 9 }, { by })).rejects.toMatchObject({ code: 'undo.nothing' });
  });

  test('a file is restored to its state before or after a turn, and the model is informed', async () => {
    await using engine = await createTestEngine({ script: script(...commands), files, settings: SANDBOXED });
    const session = await run(engine);
    const path = join(engine.place.workspace, 'a.txt');
    await session.restore({ kind: 'file', path: 'a.txt', turn: 2, side: 'after' }, { by });
    expect(readFileSync(path, 'utf8')).toBe('a\n1\n2\n');
    await session.restore({ kind: 'file', path: 'a.txt', turn: 2 }, { by });
    expect(readFileSync(path, 'utf8')).toBe('a\n1\n');
    const notes = ofType(await Array.fromAsync(session.events()), 'message.added').filter(
      ({ message }) => message.origin === 'engine',
    );
    expect(JSON.stringify(notes.at(-1))).toContain('modified a.txt');
    await expect(session.restore({ kind: 'file', path: 'none.txt', turn: 2 }, { by })).rejects.toMatchObject({
      code: 'usage',
    });
  });

  test('edits of the user between two turns are kept', async () => {
    await using engine = await createTestEngine({ script: script(commands[0]!), files, settings: SANDBOXED });
    const path = join(engine.place.workspace, 'a.txt');
    const session = await run(engine);
    writeFileSync(path, 'mine\n');
    await session.prompt('again');
    await session.advance();
    const result = await session.restore({ kind: 'undo', turn: 1 }, { by });
    expect(result).toMatchObject({ done: false, conflicts: [{ path: 'a.txt' }] });
    expect(readFileSync(path, 'utf8')).toBe('mine\n');
  });

  test('a diff of a turn shows what a command changed', async () => {
    await using engine = await createTestEngine({ script: script(...commands), files, settings: SANDBOXED });
    const session = await run(engine);
    const { diff, changes } = await session.turnChanges(2);
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['modified a.txt', 'created two.txt']);
    expect(diff).toContain('+2');
    expect(diff).toContain('+++ b/two.txt');
  });

  test('nothing is undone while a process holds the session, or without changes', async () => {
    await using engine = await createTestEngine({ script: script(), files });
    const session = await run(engine);
    await expect(session.restore({ kind: 'undo' }, { by })).rejects.toMatchObject({ code: 'undo.nothing' });
    using store = createSqliteStore({ home: engine.klaus.home });
    const lease = (await store.claim(session.id))!;
    await expect(session.restore({ kind: 'undo' }, { by })).rejects.toMatchObject({ code: 'store.busy' });
    await lease.release();
  });
});

test('links in the path of a restored file are never followed', async () => {
  await using engine = await createTestEngine({
    script: script('echo x > sub/file.txt'),
    files: { 'sub/file.txt': 'old\n' },
    settings: SANDBOXED,
  });
  const session = await run(engine);
  const { workspace } = engine.place;
  const outside = join(workspace, '../outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'file.txt'), 'x\n');
  const sub = join(workspace, 'sub');
  unlinkSync(join(sub, 'file.txt'));
  (await import('node:fs')).rmdirSync(sub);
  symlinkSync('../outside', sub);
  expect(await session.restore({ kind: 'undo' }, { by })).toMatchObject({ done: false });
  expect(readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('x\n');
});
