import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Workspace } from '@klaus/core/agent';
import { createWorkspace } from './index.ts';

let base: string;
let root: string;
let stateDir: string;
let workspace: Workspace;

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-apply-')));
  root = join(base, 'workspace');
  stateDir = join(base, 'state');
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'a');
  writeFileSync(join(root, 'b.sh'), 'b');
  chmodSync(join(root, 'b.sh'), 0o755);
  workspace = await createWorkspace(root, { stateDir });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const bytes = (text: string) => Buffer.from(text);
const on = (path: string) => readFileSync(join(root, path), 'utf8');
const tree = () => readdirSync(root, { recursive: true }).map(String).sort();

test('writes, creates with parents and deletes in one step, and returns the changes', async () => {
  const [a, b] = [await workspace.hash('a.txt'), await workspace.hash('b.sh')];
  const rows = await workspace.apply([
    { path: 'a.txt', content: bytes('A'), before: a },
    { path: 'x/y/new.txt', content: bytes('new'), before: null },
    { path: 'x/y/other.txt', content: bytes('other'), before: null, mode: 0o600 },
    { path: './b.sh', content: null, before: b },
  ]);
  expect(tree()).toEqual(['a.txt', 'x', 'x/y', 'x/y/new.txt', 'x/y/other.txt']);
  expect([on('a.txt'), on('x/y/new.txt')]).toEqual(['A', 'new']);
  expect(rows).toEqual([
    { path: 'a.txt', kind: 'modified', before: a, after: await workspace.hash('a.txt'), mode: 0o644 },
    { path: 'x/y/new.txt', kind: 'created', before: null, after: await workspace.hash('x/y/new.txt'), mode: 0o644 },
    { path: 'x/y/other.txt', kind: 'created', before: null, after: await workspace.hash('x/y/other.txt'), mode: 0o600 },
    { path: 'b.sh', kind: 'deleted', before: b, after: null },
  ]);
  expect(readdirSync(stateDir)).toEqual([]);
});

test('keeps the mode of a file', async () => {
  await workspace.apply([{ path: 'b.sh', content: bytes('B'), before: await workspace.hash('b.sh') }]);
  expect(statSync(join(root, 'b.sh')).mode & 0o7777).toBe(0o755);
});

test('one file that is not as expected: nothing is written', async () => {
  const a = await workspace.hash('a.txt');
  for (const edit of [
    { path: 'b.sh', content: bytes('B'), before: 'f'.repeat(64) },
    { path: 'b.sh', content: bytes('B'), before: null },
    { path: 'gone.txt', content: bytes('B'), before: a },
    { path: 'gone.txt', content: null, before: a },
  ]) {
    await expect(workspace.apply([{ path: 'a.txt', content: bytes('A'), before: a }, edit])).rejects.toMatchObject({
      code: 'workspace.conflict',
      message: expect.stringContaining(edit.path),
    });
  }
  expect([on('a.txt'), on('b.sh')]).toEqual(['a', 'b']);
  expect(tree()).toEqual(['a.txt', 'b.sh']);
});

test('a failure undoes the step', async () => {
  // The second file's directory cannot be created, because a file of the same step has its name.
  await expect(
    workspace.apply([
      { path: 'a.txt', content: bytes('A'), before: await workspace.hash('a.txt') },
      { path: 'new/one.txt', content: bytes('1'), before: null },
      { path: 'b.sh', content: null, before: await workspace.hash('b.sh') },
      { path: 'c', content: bytes('c'), before: null },
      { path: 'c/d', content: bytes('d'), before: null },
    ]),
  ).rejects.toMatchObject({ name: 'KlausError' });
  expect([on('a.txt'), on('b.sh')]).toEqual(['a', 'b']);
  expect(statSync(join(root, 'b.sh')).mode & 0o7777).toBe(0o755);
  expect(tree()).toEqual(['a.txt', 'b.sh']);
  expect(readdirSync(stateDir)).toEqual([]);
});

test('the same file twice, a directory and the root are refused', async () => {
  mkdirSync(join(root, 'dir'));
  symlinkSync('a.txt', join(root, 'link'));
  const a = await workspace.hash('a.txt');
  for (const edits of [
    [
      { path: 'a.txt', content: bytes('1'), before: a },
      { path: 'link', content: bytes('2'), before: a },
    ],
    [{ path: 'dir', content: bytes('1'), before: null }],
    [{ path: '.', content: null, before: null }],
    [{ path: 'link', content: null, before: a }],
  ]) {
    await expect(workspace.apply(edits)).rejects.toMatchObject({ code: 'tool.failed' });
  }
  expect(on('a.txt')).toBe('a');
  expect(existsSync(join(root, 'link'))).toBe(true);
});

test('writing through a link changes its target and keeps the link', async () => {
  symlinkSync('a.txt', join(root, 'link'));
  await workspace.apply([{ path: 'link', content: bytes('via'), before: await workspace.hash('link') }]);
  expect(on('a.txt')).toBe('via');
  expect(statSync(join(root, 'a.txt')).isFile()).toBe(true);
  expect(realpathSync(join(root, 'link'))).toBe(join(root, 'a.txt'));
});

/** Writes three files in one step, and kills its own process at the given rename. */
const KILLED = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const [index, root, stateDir, at] = process.argv.slice(1);
  const rename = fs.renameSync;
  let count = 0;
  fs.renameSync = (from, to) => {
    if (++count === Number(at)) process.kill(process.pid, 'SIGKILL');
    rename(from, to);
  };
  syncBuiltinESMExports();
  const { createWorkspace } = await import(index);
  const workspace = await createWorkspace(root, { stateDir });
  await workspace.apply([
    { path: 'a.txt', content: Buffer.from('new'), before: await workspace.hash('a.txt') },
    { path: 'deep/er/c', content: Buffer.from('new'), before: null },
    { path: 'b.sh', content: null, before: await workspace.hash('b.sh') },
  ]);
  process.stdout.write('complete');
`;

// Renames: the start of the journal entry, three files, the end of the entry. There is no sixth rename.
test.each([1, 2, 3, 4, 5, 6])('a process killed at rename %i leaves a tree that the next start repairs', async (at) => {
  const args = ['--input-type=module', '-e', KILLED, join(import.meta.dirname, 'index.ts'), root, stateDir, String(at)];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([child.signal, child.stdout]).toEqual(at === 6 ? [null, 'complete'] : ['SIGKILL', '']);
  if (at > 2 && at < 6) expect(on('a.txt')).toBe('new');
  await createWorkspace(root, { stateDir });
  expect(tree()).toEqual(at === 6 ? ['a.txt', 'deep', 'deep/er', 'deep/er/c'] : ['a.txt', 'b.sh']);
  expect(on('a.txt')).toBe(at === 6 ? 'new' : 'a');
  expect(readdirSync(stateDir)).toEqual([]);
});

test('a change after the kill is not undone', async () => {
  spawnSync(process.execPath, [
    '--input-type=module',
    '-e',
    KILLED,
    join(import.meta.dirname, 'index.ts'),
    root,
    stateDir,
    '4',
  ]);
  writeFileSync(join(root, 'a.txt'), 'by hand');
  await createWorkspace(root, { stateDir });
  expect(on('a.txt')).toBe('by hand');
  expect(tree()).toEqual(['a.txt', 'b.sh']);
});

test('marks: only later changes are listed', async () => {
  mkdirSync(join(root, 'lib'));
  for (const path of ['old.txt', 'edited.txt', 'lib/gone.txt', 'lib/kept.txt']) writeFileSync(join(root, path), path);
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
  ])
    spawnSync('git', args, { cwd: root });
  const mark = await workspace.mark();
  writeFileSync(join(root, 'edited.txt'), 'changed');
  writeFileSync(join(root, 'fresh.txt'), 'fresh');
  rmSync(join(root, 'lib/gone.txt'));
  mkdirSync(join(root, 'node_modules/x'), { recursive: true });
  writeFileSync(join(root, 'node_modules/x/index.js'), '');
  const rows = await workspace.changedSince(mark);
  expect(rows).toEqual([
    { path: 'edited.txt', kind: 'modified', before: null, after: await workspace.hash('edited.txt') },
    { path: 'fresh.txt', kind: 'created', before: null, after: await workspace.hash('fresh.txt') },
    { path: 'lib/gone.txt', kind: 'deleted', before: null, after: null },
    { path: 'node_modules', kind: 'modified', before: null, after: null },
  ]);
  expect(await workspace.changedSince(mark, { limit: 1 })).toHaveLength(1);
  expect(await workspace.changedSince(await workspace.mark())).toEqual([]);
  symlinkSync('/etc/hostname', join(workspace.root, 'outside'));
  const [link] = (await workspace.changedSince(mark)).filter(({ path }) => path === 'outside');
  expect(link).toMatchObject({ kind: 'created', after: null });
  await expect(workspace.changedSince('yesterday')).rejects.toMatchObject({ code: 'usage' });
});

test.each([2, 3, 4])('deletions are found in a Git index of version %i', async (version) => {
  for (const path of ['one.txt', 'one-more.txt', 'ünï/cödé.txt']) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  spawnSync('git', ['init', '-q'], { cwd: root });
  spawnSync('git', ['-c', `index.version=${version}`, 'add', '.'], { cwd: root });
  const mark = await workspace.mark();
  rmSync(join(root, 'ünï'), { recursive: true });
  rmSync(join(root, 'one-more.txt'));
  expect((await workspace.changedSince(mark)).map((row) => `${row.kind} ${row.path}`)).toEqual([
    'deleted one-more.txt',
    'deleted ünï/cödé.txt',
  ]);
});
