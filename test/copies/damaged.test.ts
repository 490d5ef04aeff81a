// Covers adapters/workspace/copies/end-copy.ts, adapters/workspace/copies/remove-copy.ts: a copy whose Git data a command has damaged can be discarded.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestEngine, type TestEngine } from '../fixtures/engine.ts';

let engine: TestEngine;

beforeEach(async () => {
  engine = await createTestEngine({ script: { steps: [], fallback: { text: 'Done.' } }, files: { 'a.txt': 'a\n' } });
});
afterEach(() => engine[Symbol.asyncDispose]());

const run = (folder: string, args: readonly string[], input?: Buffer): string =>
  execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@localhost', ...args], {
    cwd: folder,
    env: engine.place.env,
    input,
    stdio: 'pipe',
  })
    .toString()
    .trim();

/** A commit whose tree has these names for one file. */
const forge = (path: string, names: readonly string[]): string => {
  const blob = run(path, ['hash-object', '-w', '--stdin'], Buffer.from('x\n'));
  const rows = names.map((name) => Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]));
  const tree = run(path, ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], Buffer.concat(rows));
  return run(path, ['commit-tree', tree, '-p', 'HEAD', '-m', 'forged']);
};
const toBranch = (path: string, commit: string): void =>
  void run(path, ['update-ref', run(path, ['symbolic-ref', 'HEAD']), commit]);

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'a name that leads out of the folder': (path) => toBranch(path, forge(path, ['../../x', 'a.txt'])),
  'the same name twice': (path) => toBranch(path, forge(path, ['a.txt', 'a.txt'])),
  'a name of the Git folder': (path) => toBranch(path, forge(path, ['.git', 'a.txt'])),
  'an empty name': (path) => toBranch(path, forge(path, ['', 'a.txt'])),
  'no HEAD': (path) => rmSync(join(path, '.git/HEAD')),
  'another HEAD': (path) => writeFileSync(join(path, '.git/HEAD'), 'nothing\n'),
  'no objects': (path) => rmSync(join(path, '.git/objects'), { recursive: true }),
  'no Git folder': (path) => rmSync(join(path, '.git'), { recursive: true }),
  'another index': (path) => writeFileSync(join(path, '.git/index'), 'nothing'),
  'another configuration': (path) => writeFileSync(join(path, '.git/config'), '[nothing'),
};

describe('a copy is discarded, and its files are saved', () => {
  test.each(Object.entries(DAMAGES))('%s', async (_, damage) => {
    const session = await engine.klaus.open({ workingCopy: true });
    const [copy] = await engine.klaus.copies.list();
    writeFileSync(join(copy!.path, 'new.txt'), 'new\n');
    damage(copy!.path);
    const { saved } = await engine.klaus.copies.discard(session.id);
    expect(existsSync(copy!.path)).toBe(false);
    expect(await engine.klaus.copies.list()).toEqual([]);
    expect(saved.map((ref) => run(engine.place.workspace, ['show', `${ref}:new.txt`]))).toEqual(['new']);
    run(engine.place.workspace, ['fsck', '--strict']);
    expect(run(engine.place.workspace, ['status', '--porcelain'])).toBe('');
  });
});

test('Git never takes a repository above the copies for a copy without a Git folder', async () => {
  const { home } = engine.place;
  run(home, ['init', '-q']);
  const session = await engine.klaus.open({ workingCopy: true });
  const [copy] = await engine.klaus.copies.list();
  rmSync(join(copy!.path, '.git'), { recursive: true });
  for (const door of ['merge', 'keep', 'pullRequest'] as const)
    await expect(engine.klaus.copies[door](session.id)).rejects.toMatchObject({ code: 'copy.blocked' });
  await engine.klaus.copies.discard(session.id);
  expect(run(home, ['rev-list', '--all'])).toBe('');
});

test('a forged commit on another branch does not prevent the end of a merge', async () => {
  const session = await engine.klaus.open({ workingCopy: true });
  const [copy] = await engine.klaus.copies.list();
  writeFileSync(join(copy!.path, 'new.txt'), 'new\n');
  run(copy!.path, ['update-ref', 'refs/heads/other', forge(copy!.path, ['../x'])]);
  expect(await engine.klaus.copies.merge(session.id)).toMatchObject({ done: true });
  expect(await engine.klaus.copies.list()).toEqual([]);
});
