import { expect, test } from 'vitest';
import { findLines, nextLine } from './find-lines.ts';

test('finds lines by what stands in them, whatever the case', () => {
  expect(findLines(['One', 'two', 'ONE more'], 'one')).toEqual([1, 3]);
  expect(findLines(['One'], '')).toEqual([]);
});

test('goes from hit to hit, and round at either end', () => {
  expect(nextLine([2, 5, 9], 0, 1)).toBe(2);
  expect(nextLine([2, 5, 9], 5, 1)).toBe(9);
  expect(nextLine([2, 5, 9], 9, 1)).toBe(2);
  expect(nextLine([2, 5, 9], 2, -1)).toBe(9);
  expect(nextLine([], 2, 1)).toBeUndefined();
});
