// Covers adapters/workspace/snapshots: a folder that is made equal to a state, with its repositories.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createSnapshots, rebuildWorkspace, type LocalSnapshots } from '@klaus/adapters/workspace';
import { expect, test } from 'vitest';
import { createFolder, type Folder } from '../../adapters/workspace/snapshots/fixtures/folder.ts';
import { git, listTree } from './tree-listing.ts';

interface Place extends Disposable {
  folder: Folder;
  root: string;
  snapshots: LocalSnapshots;
}

async function openPlace(): Promise<Place> {
  const folder = createFolder();
  const snapshots = await createSnapshots(folder.root, { stateDir: folder.stateDir });
  return {
    ...{ folder, root: folder.root, snapshots },
    [Symbol.dispose]() {
      snapshots.close();
      folder[Symbol.dispose]();
    },
  };
}

/** The state of a place with its repositories, stored in the snapshots of another one. */
async function send(from: Place, to: Place) {
  const tree = await from.snapshots.snapshot();
  const state = await from.snapshots.snapshotGit(tree);
  const contents = state && (await from.snapshots.snapshotGitContents(state));
  for (const one of [tree, state, contents])
    if (one !== undefined) await to.snapshots.unpack(from.snapshots.pack(one), one);
  return { tree, git: state, contents };
}

function fill({ root, folder }: Place): void {
  git(root, 'init', '-q', '-b', 'main');
  folder.write('.gitignore', 'out\n');
  folder.write('out/ignored.bin', randomBytes(3_000));
  folder.write('src/a.ts', 'export const a = 1;\n');
  folder.write('run.sh', '#!/bin/sh\n');
  chmodSync(join(root, 'run.sh'), 0o750);
  mkdirSync(join(root, 'nothing'), { mode: 0o700 });
  symlinkSync('/etc/hostname', join(root, 'outside'));
  git(root, 'add', '--all');
  git(root, 'commit', '-q', '-m', 'First');
  folder.write('src/b.ts', 'staged\n');
  git(root, 'add', 'src/b.ts');
  folder.write('src/a.ts', 'export const a = 2;\n');
  git(root, 'stash', 'push', '-q', '--', 'src/a.ts');
}

test('an empty folder gets all files, the repository, its index and its stash', async () => {
  using from = await openPlace();
  using to = await openPlace();
  fill(from);
  const state = await send(from, to);
  await rebuildWorkspace(to.snapshots, to.root, state);
  expect(listTree(to.root)).toEqual(listTree(from.root));
  expect(readlinkSync(join(to.root, 'outside'))).toBe('/etc/hostname');
  expect(git(to.root, 'fsck', '--full')).toBe('');
  expect(git(to.root, 'status', '--porcelain')).toBe('A  src/b.ts\n');
  expect(git(to.root, 'stash', 'list')).toMatch(/^stash@\{0\}/);
  expect(git(to.root, 'show', 'stash@{0}:src/a.ts')).toBe('export const a = 2;\n');
  expect(to.snapshots.repositories).toEqual(['.git']);
});

test('a folder with other files is corrected, and only what differs is written', async () => {
  using from = await openPlace();
  using to = await openPlace();
  fill(from);
  await rebuildWorkspace(to.snapshots, to.root, await send(from, to));
  const untouched = statSync(join(to.root, 'out/ignored.bin')).ino;
  // What a run left that was killed.
  to.folder.write('left/over', 'x');
  to.folder.write('src/a.ts', 'changed');
  rmSync(join(to.root, 'run.sh'));
  chmodSync(join(to.root, 'nothing'), 0o755);
  rmSync(join(to.root, 'outside'));
  symlinkSync('src', join(to.root, 'outside'));
  git(to.root, 'commit', '-q', '-m', 'Of the killed run');
  git(to.root, 'branch', 'other');
  // What the log has.
  from.folder.write('src/c.ts', 'new');
  git(from.root, 'commit', '-q', '-m', 'Second');
  await rebuildWorkspace(to.snapshots, to.root, await send(from, to));
  expect(listTree(to.root, { objects: false })).toEqual(listTree(from.root, { objects: false }));
  expect(git(to.root, 'log', '--format=%s')).toBe('Second\nFirst\n');
  expect(git(to.root, 'fsck', '--full', '--no-dangling')).toBe('');
  expect(statSync(join(to.root, 'out/ignored.bin')).ino).toBe(untouched);
});

test('files that no state can contain, and repositories that the state does not have, are removed', async () => {
  using from = await openPlace();
  using to = await openPlace();
  from.folder.write('sub/file', 'x');
  const state = await send(from, to);
  await rebuildWorkspace(to.snapshots, to.root, state);
  execFileSync('mkfifo', [join(to.root, 'sub/pipe')]);
  writeFileSync(Buffer.concat([Buffer.from(`${to.root}/`), Buffer.from([0xff, 0xfe])]), 'no UTF-8');
  git(to.root, 'init', '-q');
  git(to.root, 'init', '-q', 'sub');
  git(to.root, 'init', '-q', 'sub/deep');
  await rebuildWorkspace(to.snapshots, to.root, state);
  expect(listTree(to.root)).toEqual(listTree(from.root));
  expect(existsSync(join(to.root, '.git'))).toBe(false);
});

test('a link in the place of a folder is replaced, and not followed', async () => {
  using from = await openPlace();
  using to = await openPlace();
  using outside = createFolder();
  outside.write('file', 'outside');
  from.folder.write('folder/file', 'inside');
  const state = await send(from, to);
  symlinkSync(outside.root, join(to.root, 'folder'));
  await rebuildWorkspace(to.snapshots, to.root, state);
  expect(lstatSync(join(to.root, 'folder')).isDirectory()).toBe(true);
  expect(readFileSync(join(to.root, 'folder/file'), 'utf8')).toBe('inside');
  expect(readFileSync(join(outside.root, 'file'), 'utf8')).toBe('outside');
});

test('a repository that was removed and one that moved are rebuilt', async () => {
  using from = await openPlace();
  using to = await openPlace();
  fill(from);
  const state = await send(from, to);
  await rebuildWorkspace(to.snapshots, to.root, state);
  rmSync(join(to.root, '.git'), { recursive: true });
  git(to.root, 'init', '-q', 'nothing');
  await rebuildWorkspace(to.snapshots, to.root, state);
  expect(listTree(to.root)).toEqual(listTree(from.root));
  expect(git(to.root, 'fsck', '--full')).toBe('');
});

test('objects of another repository do not get into the state', async () => {
  using from = await openPlace();
  using other = await openPlace();
  fill(other);
  git(from.root, 'clone', '-q', '--shared', other.root, '.');
  const tree = await from.snapshots.snapshot();
  const contents = await from.snapshots.snapshotGitContents((await from.snapshots.snapshotGit(tree))!);
  expect(await from.snapshots.entry(contents, '.git/objects/info')).toBeDefined();
  expect(await from.snapshots.entry(contents, '.git/objects/info/alternates')).toBeUndefined();
});
