import { expect, test } from 'vitest';
import { findLines, nextLine } from './find-lines.ts';

test('finds lines that contain a text, ignoring case', () => {
  expect(findLines(['One', 'two', 'ONE more'], 'one')).toEqual([1, 3]);
  expect(findLines(['One'], '')).toEqual([]);
});

test('moves between hits with wrap-around', () => {
  expect(nextLine([2, 5, 9], 0, 1)).toBe(2);
  expect(nextLine([2, 5, 9], 5, 1)).toBe(9);
  expect(nextLine([2, 5, 9], 9, 1)).toBe(2);
  expect(nextLine([2, 5, 9], 2, -1)).toBe(9);
  expect(nextLine([], 2, 1)).toBeUndefined();
});
