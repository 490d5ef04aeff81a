import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSnapshots } from '../index.ts';
import { createFolder } from './fixtures/folder.ts';

test('the id of a state depends only on its content', async () => {
  using folder = createFolder();
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const empty = await snapshots.snapshot();
  expect(snapshots.has(empty)).toBe(true);
  folder.write('a/b.txt', 'one');
  const first = await snapshots.snapshot();
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  folder.write('a/b.txt', 'two');
  expect(await snapshots.snapshot()).not.toBe(first);
  folder.write('a/b.txt', 'one');
  expect(await snapshots.snapshot()).toBe(first);
  rmSync(join(folder.root, 'a'), { recursive: true });
  expect(await snapshots.snapshot()).toBe(empty);
});

test('modes, symlinks, empty folders, ignored files and unusual names are stored', async () => {
  using folder = createFolder();
  folder.write('.gitignore', 'out\n');
  folder.write('out/ignored', 'i');
  folder.write('line\nbreak', 'n');
  folder.write('ünïcødé \u{1F600}', 'u');
  folder.write('x'.repeat(255), 'long');
  folder.write('--run', '#!/bin/sh\n');
  chmodSync(join(folder.root, '--run'), 0o4750);
  mkdirSync(join(folder.root, 'empty'), { mode: 0o700 });
  symlinkSync('/nowhere/at all', join(folder.root, 'dangling'));
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const tree = await snapshots.snapshot();
  expect(await snapshots.entry(tree, '--run')).toMatchObject({ type: 'file', mode: 0o4750, size: 10 });
  expect(await snapshots.entry(tree, 'empty')).toMatchObject({ type: 'directory', mode: 0o700, size: 0 });
  const link = (await snapshots.entry(tree, 'dangling'))!;
  expect(link).toMatchObject({ type: 'symlink', mode: 0 });
  expect(Buffer.from(await snapshots.content(link)).toString()).toBe('/nowhere/at all');
  for (const [path, content] of [
    ['out/ignored', 'i'],
    ['line\nbreak', 'n'],
    ['ünïcødé \u{1F600}', 'u'],
    ['x'.repeat(255), 'long'],
  ] as const) {
    expect(Buffer.from(await snapshots.content((await snapshots.entry(tree, path))!)).toString()).toBe(content);
  }
  expect(await snapshots.entry(tree, 'out/missing')).toBeUndefined();
  expect(snapshots.uncovered(tree)).toEqual([]);
});

test('an edit of the same size with a restored modification time is found', async () => {
  using folder = createFolder();
  folder.write('file', 'aaaa');
  const { atime, mtime } = statSync(join(folder.root, 'file'));
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  folder.write('file', 'bbbb');
  utimesSync(join(folder.root, 'file'), atime, mtime);
  const after = await snapshots.snapshot();
  expect(await snapshots.changes(before, after)).toMatchObject([{ path: 'file', kind: 'modified' }]);
});

test('changes are sorted and include changes of type', async () => {
  using folder = createFolder();
  folder.write('a', 'file');
  folder.write('b/inner', 'x');
  folder.write('c', 'gone');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  rmSync(join(folder.root, 'a'));
  folder.write('a/now', 'folder');
  rmSync(join(folder.root, 'b'), { recursive: true });
  symlinkSync('c', join(folder.root, 'b'));
  rmSync(join(folder.root, 'c'));
  const rows = await snapshots.changes(before, await snapshots.snapshot());
  expect(rows.map(({ path, kind, before: old, after: now }) => [path, kind, old?.type, now?.type])).toEqual([
    ['a', 'modified', 'file', 'directory'],
    ['a/now', 'created', undefined, 'file'],
    ['b', 'modified', 'directory', 'symlink'],
    ['b/inner', 'deleted', 'file', undefined],
    ['c', 'deleted', 'file', undefined],
  ]);
});

test('only the given paths are scanned, the rest is as in the base', async () => {
  using folder = createFolder();
  folder.write('a/one', '1');
  folder.write('a/two', '2');
  folder.write('b/three', '3');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const base = await snapshots.snapshot();
  folder.write('a/one', 'changed');
  folder.write('a/two', 'changed too');
  folder.write('new/deep/file', 'n');
  rmSync(join(folder.root, 'b'), { recursive: true });
  const some = await snapshots.snapshot({ only: { base, paths: ['a/one', 'new/deep', 'b/three'] } });
  expect((await snapshots.changes(base, some)).map(({ path, kind }) => `${kind} ${path}`)).toEqual([
    'modified a/one',
    'deleted b/three',
    'created new',
    'created new/deep',
    'created new/deep/file',
  ]);
  const all = await snapshots.snapshot({ only: { base: some, paths: ['a', 'b', 'new'] } });
  expect(all).toBe(await snapshots.snapshot());
  await expect(snapshots.snapshot({ only: { base, paths: ['../x'] } })).rejects.toMatchObject({ code: 'usage' });
});

test('paths that cannot be stored are left out and listed', async () => {
  using folder = createFolder();
  folder.write('file', 'x');
  execFileSync('mkfifo', [join(folder.root, 'pipe')]);
  // A name in Latin-1, with a repository.
  mkdirSync(Buffer.from(`${folder.root}/caf\xe9/.git`, 'latin1'), { recursive: true });
  writeFileSync(Buffer.from(`${folder.root}/caf\xe9/file`, 'latin1'), 'x');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const tree = await snapshots.snapshot();
  expect(snapshots.uncovered(tree).toSorted((a, b) => (a.why < b.why ? -1 : 1))).toEqual([
    { path: 'caf\\xe9/.git', why: 'name is not UTF-8' },
    { path: 'pipe', why: 'special file' },
  ]);
  expect(await snapshots.entry(tree, 'pipe')).toBeUndefined();
  expect(await snapshots.entry(tree, 'caf\\xe9/file')).toMatchObject({ type: 'file', size: 1 });
});

test("Klaus's own state is left out of the snapshots of its folder", async () => {
  using folder = createFolder();
  folder.write('home/klaus.db', 'x');
  folder.write('home-too', 'x');
  const home = join(folder.root, 'home');
  using snapshots = await createSnapshots(folder.root, { stateDir: join(home, 'snapshots'), klausHome: home });
  const tree = await snapshots.snapshot();
  expect(await snapshots.entry(tree, 'home')).toBeUndefined();
  expect(await snapshots.entry(tree, 'home-too')).toBeDefined();
  expect(await snapshots.snapshot()).toBe(tree);
});

test('repositories are left out and their state is shown, including nested ones', async () => {
  using folder = createFolder();
  const git = (cwd: string, ...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd, encoding: 'utf8' }).trim();
  folder.write('nested/file', 'x');
  for (const cwd of [folder.root, join(folder.root, 'nested')]) {
    git(cwd, 'init', '-q', '-b', 'main');
    git(cwd, 'commit', '-q', '--allow-empty', '-m', 'first');
  }
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  const id = git(folder.root, 'rev-parse', 'HEAD');
  expect(snapshots.git(before)).toMatchObject([
    { path: '', head: 'ref: refs/heads/main', refs: { 'refs/heads/main': id } },
    { path: 'nested', head: 'ref: refs/heads/main' },
  ]);
  expect(await snapshots.entry(before, '.git')).toBeUndefined();
  expect(await snapshots.entry(before, 'nested/.git')).toBeUndefined();
  git(folder.root, 'checkout', '-q', '-b', 'other');
  git(folder.root, 'pack-refs', '--all');
  folder.write('more', 'x');
  git(folder.root, 'add', 'more');
  const after = await snapshots.snapshot();
  expect(snapshots.git(after)[0]).toMatchObject({ head: 'ref: refs/heads/other', refs: { 'refs/heads/other': id } });
  expect(snapshots.git(after)[0]!.index).not.toBe(snapshots.git(before)[0]!.index);
});

test('a folder that is replaced by a link during a scan shows nothing from outside', async () => {
  using folder = createFolder();
  const outside = join(folder.base, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'file'), 'SECRET');
  folder.write('d/file', 'inside');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const base = await snapshots.snapshot();
  renameSync(join(folder.root, 'd'), join(folder.root, 'real'));
  symlinkSync(outside, join(folder.root, 'd'));
  const tree = await snapshots.snapshot({ only: { base, paths: ['d/file'] } });
  expect(await snapshots.entry(tree, 'd/file')).toBeUndefined();
  expect(await snapshots.entry(await snapshots.snapshot(), 'd')).toMatchObject({ type: 'symlink' });
});

test('another folder can replace the workspace, whose own state remains the last one', async () => {
  using folder = createFolder();
  folder.write('a', '1');
  folder.write('b', '2');
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const base = await snapshots.snapshot();
  const layer = join(folder.base, 'layer');
  spawnSync('cp', ['-a', folder.root, layer]);
  writeFileSync(join(layer, 'b'), 'changed');
  const merged = await snapshots.snapshot({ folder: layer });
  expect((await snapshots.changes(base, merged)).map(({ path }) => path)).toEqual(['b']);
  expect(await snapshots.snapshot()).toBe(base);
  expect(await snapshots.apply(await snapshots.changes(base, merged))).toMatchObject({ applied: true });
  expect(readFileSync(join(folder.root, 'b'), 'utf8')).toBe('changed');
});

test('a snapshot reports its progress and can be cancelled', async () => {
  using folder = createFolder();
  for (let i = 0; i < 600; i++) folder.write(`d${i % 7}/f${i}`, `${i}`);
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const seen: number[] = [];
  await snapshots.snapshot({ onProgress: (files) => seen.push(files) });
  expect(seen.length).toBeGreaterThan(1);
  await expect(snapshots.snapshot({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
});

test('a large file is stored and returned in chunks, and shares chunks after a small change', async () => {
  using folder = createFolder();
  const bytes = Buffer.alloc(10 * 1024 * 1024);
  for (let at = 0; at < bytes.length; at += 4_096) bytes.writeUInt32LE((at * 2_654_435_761) % 2 ** 32, at);
  folder.write('big', bytes);
  linkSync(join(folder.root, 'big'), join(folder.root, 'same'));
  using snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  const before = await snapshots.snapshot();
  bytes[5_000_000]! ^= 1;
  folder.write('big', bytes);
  const after = await snapshots.snapshot();
  expect((await snapshots.changes(before, after)).map(({ path }) => path)).toEqual(['big', 'same']);
  expect(await snapshots.apply(await snapshots.changes(after, before))).toMatchObject({ applied: true });
  bytes[5_000_000]! ^= 1;
  expect(readFileSync(join(folder.root, 'big')).equals(bytes)).toBe(true);
});
