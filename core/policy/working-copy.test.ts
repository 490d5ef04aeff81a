import { expect, test } from 'vitest';
import { isInWorkingCopy } from './working-copy.ts';

test.each([
  ['/k/copies/shop-1a/3f9a', true],
  ['/k/copies/shop-1a/3f9a/src', true],
  ['/k/copies/shop-1a', false],
  ['/k/copies', false],
  ['/k/copies/shop-1a/3f9a.json', false],
  ['/k/copies/shop-1a/3f9a.lock', false],
  ['/k/copies-evil/shop-1a/3f9a', false],
  ['/k/snapshots/a/b', false],
])('%s is in a working copy: %s', (folder, expected) => {
  expect(isInWorkingCopy(folder, '/k')).toBe(expected);
});
