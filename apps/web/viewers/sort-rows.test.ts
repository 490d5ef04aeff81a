import { expect, test } from 'vitest';
import { toShownRows } from './sort-rows.ts';

const ROWS = [
  ['b', '10'],
  ['a', '9.5'],
  ['', '-1'],
  ['a', ''],
];

const show = (sorting?: { column: number; isDescending: boolean }, words = '') => toShownRows(ROWS, { words, sorting });

test('numbers are sorted by value, equal rows stay in order, and empty cells come last', () => {
  expect(show({ column: 1, isDescending: false })).toEqual([2, 1, 0, 3]);
  expect(show({ column: 1, isDescending: true })).toEqual([0, 1, 2, 3]);
  expect(show({ column: 0, isDescending: false })).toEqual([1, 3, 0, 2]);
  expect(show({ column: 7, isDescending: false })).toEqual([0, 1, 2, 3]);
});

test('rows are filtered by words in any cell', () => {
  expect(show(undefined, ' A ')).toEqual([1, 3]);
  expect(show()).toEqual([0, 1, 2, 3]);
});
