import { expect, test } from 'vitest';
import { parseFolder, toFolderEntries } from './folder-list.ts';

test('entries are folders with a right, and reading is the default', () => {
  expect(['/data:rw', '/data:ro', '/data', '/a:b', 'C:\\x:rw', ''].map(parseFolder)).toEqual([
    { path: '/data', right: 'rw' },
    { path: '/data', right: 'ro' },
    { path: '/data', right: 'ro' },
    { path: '/a:b', right: 'ro' },
    { path: 'C:\\x', right: 'rw' },
    { path: '', right: 'ro' },
  ]);
});

test('folders without a path are left out', () => {
  const folders = [
    { path: ' /data ', right: 'rw' as const },
    { path: ' ', right: 'ro' as const },
  ];
  expect(toFolderEntries(folders)).toEqual(['/data:rw']);
});
