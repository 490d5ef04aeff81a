// Covers core/agent/authors, core/agent/workspace: undo, diff and restore of one author while others work in the folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';

const by = 'test';
const files = { 'a.py': 'a = 1\n', 'b.py': 'b = 1\n', 'c.py': 'c = 1\n' };

type Call = { name: string; input: Record<string, unknown> };

const edit = (path: string, before: string, after: string): Call => ({
  name: 'edit_file',
  input: { path, edits: [{ old: before, new: after }] },
});
const run = (command: string): Call => ({ name: 'run_command', input: { command } });

/** A step of the session whose prompt contains the word. */
const step = (user: string, turn: number, calls: Call[]) => ({ when: { user, turn }, reply: { calls } });

interface Place {
  engine: TestEngine;
  at: (path: string) => string;
  read: (path: string) => string | undefined;
}

async function prepare(steps: ReturnType<typeof step>[]): Promise<Place & AsyncDisposable> {
  const engine = await createTestEngine({ script: { steps, fallback: { text: 'Done.' } } as never, files });
  const at = (path: string): string => join(engine.place.workspace, path);
  spawnSync('mkfifo', [at('.gate')]);
  return {
    engine,
    at,
    read: (path) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

async function ask(session: Session, words: string): Promise<void> {
  await session.prompt(words);
  await session.advance();
}

/** Runs `act` while the command of the session waits for the gate. */
async function during({ at }: Place, session: Session, act: () => Promise<void>): Promise<void> {
  const ended = ask(session, 'alpha');
  const gate = await open(at('.gate'), 'w');
  await act();
  await gate.write('\n');
  await gate.close();
  await ended;
}

test('an undo leaves what another session and the user did while a command only waited', async () => {
  await using place = await prepare([
    step('alpha', 0, [edit('a.py', 'a = 1', 'a = 2'), run('read _ < .gate; echo ok')]),
    step('beta', 0, [
      edit('b.py', 'b = 1', 'b = 2'),
      { name: 'write_file', input: { path: 'new.py', content: 'n\n' } },
    ]),
  ]);
  const { engine, at, read } = place;
  const [one, two] = [await engine.klaus.open(), await engine.klaus.open()];
  await during(place, one, async () => {
    await ask(two, 'beta');
    writeFileSync(at('user.txt'), 'mine\n');
  });
  const [after] = ofType(await Array.fromAsync(one.events()), 'workspace.snapshotted').filter(({ own }) => own);
  expect(after!.others).toEqual([
    { path: 'user.txt', by: 'unclear' },
    { path: 'b.py', by: 'session', session: two.id },
    { path: 'new.py', by: 'session', session: two.id },
  ]);
  expect((await one.turnChanges('all')).changes.map(({ path }) => path)).toEqual(['a.py']);

  const preview = await one.restore({ kind: 'undo' }, { by, dryRun: true });
  expect(preview).toMatchObject({ changes: [{ path: 'a.py' }], unclear: ['user.txt'] });
  const refused = await one.restore({ kind: 'undo' }, { by, unclear: 'refuse' });
  expect(refused).toMatchObject({ done: false, conflicts: [{ path: 'user.txt' }] });
  const undone = await one.restore({ kind: 'undo' }, { by });
  expect(undone).toMatchObject({ done: true, changes: [{ path: 'a.py' }], unclear: ['user.txt'] });
  expect(['a.py', 'b.py', 'new.py', 'user.txt'].map(read)).toEqual(['a = 1\n', 'b = 2\n', 'n\n', 'mine\n']);

  expect(await one.restore({ kind: 'redo' }, { by })).toMatchObject({ done: true });
  expect(read('a.py')).toBe('a = 2\n');
  await one.restore({ kind: 'undo' }, { by, conflicts: 'overwrite' });
  expect(['a.py', 'b.py', 'new.py', 'user.txt'].map(read)).toEqual(['a = 1\n', 'b = 2\n', 'n\n', undefined]);
});

test('a file of another session is restored only on request', async () => {
  await using place = await prepare([
    step('alpha', 0, [run('read _ < .gate; echo made > made.txt')]),
    step('beta', 0, [edit('b.py', 'b = 1', 'b = 2')]),
  ]);
  const { engine, read } = place;
  const [one, two] = [await engine.klaus.open(), await engine.klaus.open()];
  await during(place, one, () => ask(two, 'beta'));
  const request = { kind: 'file', path: 'b.py', turn: 1 } as const;
  expect(await one.restore(request, { by })).toMatchObject({ done: false, conflicts: [{ path: 'b.py' }] });
  expect(await one.restore({ kind: 'undo' }, { by })).toMatchObject({ done: true, changes: [{ path: 'made.txt' }] });
  expect(read('b.py')).toBe('b = 2\n');
});

test('an edit on top of what another session wrote in the same turn is unclear', async () => {
  await using place = await prepare([
    step('alpha', 0, [run('read _ < .gate'), edit('b.py', 'b = 2', 'b = 3')]),
    step('beta', 0, [edit('b.py', 'b = 1', 'b = 2')]),
  ]);
  const { engine, read } = place;
  const [one, two] = [await engine.klaus.open(), await engine.klaus.open()];
  await during(place, one, () => ask(two, 'beta'));
  expect(read('b.py')).toBe('b = 3\n');
  expect(await one.restore({ kind: 'undo' }, { by })).toMatchObject({ done: false, unclear: ['b.py'] });
  expect(read('b.py')).toBe('b = 3\n');
});

test('files that an editor has open, and folders of others, are left', async () => {
  await using place = await prepare([
    step('alpha', 0, [run('mkdir made; echo x > made/own.txt; echo c > c.py; echo > .ready; read _ < .gate')]),
  ]);
  const { engine, at, read } = place;
  const one = await engine.klaus.open();
  const ended = ask(one, 'alpha');
  const gate = await open(at('.gate'), 'w');
  writeFileSync(at('.a.py.swp'), 'lock');
  writeFileSync(at('a.py'), 'a = "mine"\n');
  await gate.write('\n');
  await gate.close();
  await ended;
  const undone = await one.restore({ kind: 'undo' }, { by });
  expect(undone).toMatchObject({ done: true, unclear: ['.a.py.swp', 'a.py'] });
  expect([read('a.py'), read('c.py'), existsSync(at('made'))]).toEqual(['a = "mine"\n', 'c = 1\n', false]);
});

test('what happens between the calls of a turn is not its own', async () => {
  await using place = await prepare([step('alpha', 0, [run('rm b.py'), run('read _ < .gate; echo c >> c.py')])]);
  const { engine, at, read } = place;
  const one = await engine.klaus.open();
  await during(place, one, async () => {
    mkdirSync(at('kept'));
    unlinkSync(at('a.py'));
  });
  await one.restore({ kind: 'undo' }, { by });
  // Nothing distinguishes these from the effects of the command: `klaus redo` has them.
  expect([read('b.py'), read('c.py')]).toEqual(['b = 1\n', 'c = 1\n']);
  await one.restore({ kind: 'redo' }, { by });
  expect([existsSync(at('kept')), read('a.py'), read('b.py')]).toEqual([true, undefined, undefined]);
});
