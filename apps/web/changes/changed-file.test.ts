import type { Hunk, TreeChange } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { toChangedFiles, toTree, type ChangedFolder } from './changed-file.ts';

const entry = (hash: string, type: 'file' | 'directory' = 'file') => ({ type, hash, size: 1, mode: 0o644 });
const created = (path: string): TreeChange => ({ path, kind: 'created', before: null, after: entry(path) });
const hunk = (path: string, lines: string[]): Hunk => ({
  ...{ id: `${path}#1`, path, kind: 'text', oldStart: 1, oldLines: 1, newStart: 1, newLines: 1 },
  lines,
});

test('files have counts of lines and a version; folders are left out', () => {
  const changes: TreeChange[] = [
    { path: 'src', kind: 'created', before: null, after: entry('', 'directory') },
    { path: 'b', kind: 'modified', before: entry('1'), after: entry('2') },
    { path: 'a', kind: 'deleted', before: entry('3'), after: null },
  ];
  expect(toChangedFiles(changes, [hunk('b', ['-one', '+two', '+three', ' same'])])).toMatchObject([
    { path: 'a', kind: 'deleted', added: 0, removed: 0, version: 'deleted 3' },
    { path: 'b', kind: 'modified', added: 2, removed: 1, version: '2 420' },
  ]);
});

test('the tree joins folders with one entry, also those outside of the workspace', () => {
  const files = ['a/b/c/one.ts', 'a/b/c/two.ts', 'top.md', '/other/x.ts'].map(created);
  const show = ({ name, folders, files: own }: ChangedFolder): unknown => ({
    [name]: [...folders.map(show), ...own.map(({ path }) => path)],
  });
  expect(show(toTree(toChangedFiles(files, [])))).toEqual({
    '': [{ '/other': ['/other/x.ts'] }, { 'a/b/c': ['a/b/c/one.ts', 'a/b/c/two.ts'] }, 'top.md'],
  });
});
