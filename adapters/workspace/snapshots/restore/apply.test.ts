import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TreeChange } from '@klaus/core/protocol';
import { createSnapshots } from '../../index.ts';
import { createFolder } from '../fixtures/folder.ts';

test('a change of the user is a conflict, and nothing is changed', async () => {
  using folder = createFolder();
  folder.write('a', '1');
  folder.write('b', '1');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  folder.write('a', '2');
  folder.write('b', '2');
  const changes = await snapshots.changes(await snapshots.snapshot(), before);
  folder.write('b', 'mine');
  const result = await snapshots.apply(changes);
  expect(result).toMatchObject({
    applied: false,
    conflicts: [{ path: 'b', expected: { size: 1 }, found: { size: 4 } }],
  });
  expect(readFileSync(join(folder.root, 'a'), 'utf8')).toBe('2');
  expect(readFileSync(join(folder.root, 'b'), 'utf8')).toBe('mine');
  const forced = await snapshots.apply(changes, { overwrite: new Set(['b']) });
  expect(readFileSync(join(folder.root, 'b'), 'utf8')).toBe('1');
  if (!forced.applied) throw new Error('not applied');
  await snapshots.apply(await snapshots.changes(forced.after, forced.before));
  expect(readFileSync(join(folder.root, 'b'), 'utf8')).toBe('mine');
});

/** True where this user can mount folders. */
const canMount = ((): boolean => {
  using folder = createFolder();
  const [from, at] = [join(folder.root, 'from'), join(folder.root, 'at')];
  for (const path of [from, at]) mkdirSync(path);
  try {
    execFileSync('mount', ['--bind', from, at], { stdio: 'ignore' });
  } catch {
    return false;
  }
  execFileSync('umount', [at]);
  return true;
})();

test.runIf(canMount)('nothing in a mount is changed, also if it may be overwritten', async () => {
  using folder = createFolder();
  using outside = createFolder();
  folder.write('d/f', '1');
  folder.write('g', '1');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  folder.write('d/e/n', 'new');
  folder.write('d/f', '2');
  folder.write('g', '2');
  const changes = await snapshots.changes(await snapshots.snapshot(), before);
  outside.write('e/n', 'other');
  outside.write('f', 'other');
  const place = join(folder.root, 'd');
  execFileSync('mount', ['--bind', outside.root, place]);
  try {
    const result = await snapshots.apply(changes, { overwrite: new Set(changes.map(({ path }) => path)) });
    expect(result).toMatchObject({ applied: false });
    if (result.applied) throw new Error('applied');
    expect(result.conflicts.map(({ path }) => path)).toEqual(['d/e', 'd/e/n', 'd/f']);
    expect([readFileSync(join(outside.root, 'e/n'), 'utf8'), readFileSync(join(outside.root, 'f'), 'utf8')]).toEqual([
      'other',
      'other',
    ]);
    expect(readFileSync(join(folder.root, 'g'), 'utf8')).toBe('2');
  } finally {
    execFileSync('umount', [place]);
  }
  expect(await snapshots.apply(changes)).toMatchObject({ applied: true });
  expect(readFileSync(join(folder.root, 'd/f'), 'utf8')).toBe('1');
});

test('a mode that the user changed is a conflict too', async () => {
  using folder = createFolder();
  folder.write('a', '1');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  folder.write('a', '2');
  const changes = await snapshots.changes(await snapshots.snapshot(), before);
  chmodSync(join(folder.root, 'a'), 0o600);
  expect(await snapshots.apply(changes)).toMatchObject({ applied: false, conflicts: [{ path: 'a' }] });
});

test('a path that already has its goal is skipped and not part of the undo', async () => {
  using folder = createFolder();
  folder.write('a', '1');
  folder.write('b', '1');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  folder.write('a', '2');
  folder.write('b', '2');
  const changes = await snapshots.changes(await snapshots.snapshot(), before);
  folder.write('b', '1');
  expect(await snapshots.apply(changes)).toMatchObject({ applied: true, changes: [{ path: 'a', kind: 'modified' }] });
  expect(await snapshots.apply(changes)).toMatchObject({ applied: true, changes: [] });
});

test('a folder to delete is kept with content of the user if it may be overwritten', async () => {
  using folder = createFolder();
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  folder.write('made/deep/by-agent', 'x');
  const changes = await snapshots.changes(await snapshots.snapshot(), before);
  folder.write('made/deep/mine', 'user');
  const refused = await snapshots.apply(changes);
  if (refused.applied) throw new Error('applied');
  expect(refused.conflicts.map(({ path }) => path)).toEqual(['made', 'made/deep']);
  expect(existsSync(join(folder.root, 'made/deep/by-agent'))).toBe(true);
  const done = await snapshots.apply(changes, { overwrite: new Set(refused.conflicts.map(({ path }) => path)) });
  expect(done).toMatchObject({ applied: true, changes: [{ path: 'made/deep/by-agent', kind: 'deleted' }] });
  expect(readdirSync(join(folder.root, 'made/deep'))).toEqual(['mine']);
});

test('a repository or a socket in a folder to delete is never removed', async () => {
  using folder = createFolder();
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  folder.write('clone/file', 'x');
  execFileSync('git', ['init', '-q'], { cwd: join(folder.root, 'clone') });
  mkdirSync(join(folder.root, 'run'));
  execFileSync('mkfifo', [join(folder.root, 'run/pipe')]);
  const changes = await snapshots.changes(await snapshots.snapshot(), before);
  const refused = await snapshots.apply(changes);
  expect(refused).toMatchObject({ applied: false, conflicts: [{ path: 'clone' }, { path: 'run' }] });
  await snapshots.apply(changes, { overwrite: new Set(['clone', 'run']) });
  expect(existsSync(join(folder.root, 'clone/.git/HEAD'))).toBe(true);
  expect(existsSync(join(folder.root, 'clone/file'))).toBe(false);
  expect(lstatSync(join(folder.root, 'run/pipe')).isFIFO()).toBe(true);
});

test('read-only folders and files, and set-id bits, are restored', async () => {
  using folder = createFolder();
  folder.write('locked/inner/file', '1');
  folder.write('locked/tool', '#!/bin/sh\n');
  chmodSync(join(folder.root, 'locked/inner/file'), 0o444);
  chmodSync(join(folder.root, 'locked/tool'), 0o6755);
  chmodSync(join(folder.root, 'locked/inner'), 0o555);
  chmodSync(join(folder.root, 'locked'), 0o555);
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  for (const path of ['locked', 'locked/inner']) chmodSync(join(folder.root, path), 0o755);
  rmSync(join(folder.root, 'locked'), { recursive: true, force: true });
  expect(await snapshots.apply(await snapshots.changes(await snapshots.snapshot(), before))).toMatchObject({
    applied: true,
  });
  const modes = ['locked', 'locked/inner', 'locked/inner/file', 'locked/tool'].map((path) =>
    (lstatSync(join(folder.root, path)).mode & 0o7777).toString(8),
  );
  expect(modes).toEqual(['555', '555', '444', '6755']);
  // And a change in folders that are read-only now.
  const now = await snapshots.snapshot();
  expect(now).toBe(before);
  chmodSync(join(folder.root, 'locked/inner'), 0o755);
  folder.write('locked/inner/new', 'x');
  chmodSync(join(folder.root, 'locked/inner'), 0o555);
  await snapshots.apply(await snapshots.changes(await snapshots.snapshot(), before));
  expect(await snapshots.snapshot()).toBe(before);
});

test('a symlink in a path is never followed', async () => {
  using folder = createFolder();
  const outside = join(folder.base, 'outside');
  mkdirSync(outside);
  folder.write('d/file', '1');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  folder.write('d/file', '2');
  const changes = await snapshots.changes(await snapshots.snapshot(), before);
  renameSync(join(folder.root, 'd'), join(folder.root, 'away'));
  symlinkSync(outside, join(folder.root, 'd'));
  expect(await snapshots.apply(changes)).toMatchObject({ applied: false });
  expect(await snapshots.apply(changes, { overwrite: new Set(['d/file']) })).toMatchObject({
    applied: false,
    conflicts: [{ path: 'd', expected: { type: 'directory' }, found: { type: 'symlink' } }],
  });
  expect(readdirSync(outside)).toEqual([]);
  expect(readlinkSync(join(folder.root, 'd'))).toBe(outside);
});

test('one file is restored in a deleted folder', async () => {
  using folder = createFolder();
  folder.write('a/b/one', '1');
  folder.write('a/b/two', '2');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  rmSync(join(folder.root, 'a'), { recursive: true });
  const rows = await snapshots.changes(await snapshots.snapshot(), before);
  const done = await snapshots.apply(rows.filter(({ path }) => path === 'a/b/one'));
  if (!done.applied) throw new Error('not applied');
  expect(done.changes.map(({ path }) => path)).toEqual(['a', 'a/b', 'a/b/one']);
  expect(readdirSync(join(folder.root, 'a/b'))).toEqual(['one']);
  await snapshots.apply(await snapshots.changes(done.after, done.before));
  expect(readdirSync(folder.root)).toEqual([]);
});

test('new content can be put and applied', async () => {
  using folder = createFolder();
  folder.write('a', 'one\ntwo\n');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const tree = await snapshots.snapshot();
  const before = (await snapshots.entry(tree, 'a'))!;
  const after = await snapshots.put(Buffer.from('one\nthree\n'), { type: 'file', mode: 0o600 });
  expect(Buffer.from(await snapshots.content(after)).toString()).toBe('one\nthree\n');
  await snapshots.apply([{ path: 'a', kind: 'modified', before, after }]);
  expect(readFileSync(join(folder.root, 'a'), 'utf8')).toBe('one\nthree\n');
  expect(lstatSync(join(folder.root, 'a')).mode & 0o7777).toBe(0o600);
});

test('paths outside, in .git, or listed twice are refused', async () => {
  using folder = createFolder();
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const after = await snapshots.put(Buffer.from('x'), { type: 'file', mode: 0o644 });
  const row = (path: string): TreeChange => ({ path, kind: 'created', before: null, after });
  for (const path of ['../out', '/etc/passwd', 'a/../../b', '.git/hooks/pre-commit', 'a/.git', '', 'a//b', 'nul\0']) {
    await expect(snapshots.apply([row(path)])).rejects.toMatchObject({ code: 'usage' });
  }
  await expect(snapshots.apply([row('a'), row('a')])).rejects.toMatchObject({ code: 'usage' });
  const unknown = { ...after, hash: 'f'.repeat(64) };
  await expect(snapshots.apply([{ ...row('a'), after: unknown }])).rejects.toMatchObject({ code: 'usage' });
  expect(readdirSync(folder.root)).toEqual([]);
});

test('a file is restored if the user moved or created its folder', async () => {
  using folder = createFolder();
  folder.write('a/b/one', '1');
  folder.write('a/b/two', '2');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  rmSync(join(folder.root, 'a/b/one'));
  const changes = await snapshots.changes(await snapshots.snapshot(), before);
  renameSync(join(folder.root, 'a'), join(folder.root, 'moved'));
  expect(await snapshots.apply(changes)).toMatchObject({ applied: true });
  expect(readFileSync(join(folder.root, 'a/b/one'), 'utf8')).toBe('1');
  const after = (await snapshots.entry(before, 'a/b/one'))!;
  mkdirSync(join(folder.root, 'mine'), { mode: 0o700 });
  expect(await snapshots.apply([{ path: 'mine/one', kind: 'created', before: null, after }])).toMatchObject({
    applied: true,
    changes: [{ path: 'mine/one' }],
  });
  expect(lstatSync(join(folder.root, 'mine')).mode & 0o777).toBe(0o700);
});
