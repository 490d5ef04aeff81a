import { expect, test } from 'vitest';
import { listMountPoints, parseVolumes, toVolumePath } from './volumes.ts';

const mappings = parseVolumes(['/work=claim:projects', '/work/deep=claim:projects/other/', '/srv=host:/mnt/srv']);
const find = (path: string, mountPoints = ['/']) => toVolumePath(path, { mappings, mountPoints });

test('a path is in the deepest volume that contains it', () => {
  expect(find('/work')).toMatchObject({ volume: { name: 'folder-0' }, subPath: '' });
  expect(find('/work/a/b')).toMatchObject({ volume: { name: 'folder-0' }, subPath: 'a/b' });
  expect(find('/work/deep/x')).toMatchObject({ volume: { name: 'folder-0' }, subPath: 'other/x' });
  expect(find('/srv/y')).toMatchObject({ volume: { hostPath: { path: '/mnt/srv', type: 'Directory' } }, subPath: 'y' });
  expect(() => find('/workshop')).toThrow(expect.objectContaining({ code: 'sandbox.failed' }));
});

test('a mount below the folder of a volume is not in the volume', () => {
  expect(find('/work/a', ['/', '/work', '/work/a/b'])).toMatchObject({ subPath: 'a' });
  expect(() => find('/work/a/b/c', ['/work/a/b'])).toThrow(expect.objectContaining({ code: 'sandbox.failed' }));
});

test('rows of another form are refused', () => {
  for (const row of [
    'work=claim:a',
    '/work',
    '/work=claim:A',
    '/work=claim:a/../b',
    '/work=host:relative',
    '/work=nfs:/a',
  ])
    expect(() => parseVolumes([row])).toThrow(expect.objectContaining({ code: 'config' }));
});

test('mount points are read with their escapes', () => {
  const line = String.raw`36 35 98:0 /mnt1 /mnt\040two rw,noatime master:1 - ext3 /dev/root rw`;
  expect(listMountPoints(`${line}\n`)).toEqual(['/mnt two']);
});
