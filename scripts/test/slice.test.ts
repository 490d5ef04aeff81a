import { expect, test } from 'vitest';
import { SLICES, toSlice } from './slice.ts';

test('commits choose each slice, always the same', () => {
  const slices = Array.from({ length: 100 }, (_, at) =>
    toSlice(undefined, `${at.toString(16).padStart(8, '0')}abcdef`),
  );
  expect(new Set(slices.map((slice) => slice!.index)).size).toBe(SLICES);
  expect(toSlice(undefined, 'deadbeef00')).toEqual(toSlice(undefined, 'deadbeef99'));
});

test('a slice by number, all and none; without a commit the first one', () => {
  expect(toSlice('1', 'deadbeef')).toEqual({ index: 1, count: SLICES });
  expect(toSlice('all', 'deadbeef')).toEqual({ index: 0, count: 1 });
  expect(toSlice('none', 'deadbeef')).toBeUndefined();
  expect(toSlice(undefined, undefined)).toEqual({ index: 0, count: SLICES });
});

test.each(['', ' ', '-1', '1.5', String(SLICES), 'most'])('%o is refused', (chosen) => {
  expect(() => toSlice(chosen, 'deadbeef')).toThrow('--slice');
});
