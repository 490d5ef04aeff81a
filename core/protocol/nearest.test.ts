import { expect, test } from 'vitest';
import { toEditDistance, toNearest } from './nearest.ts';

test.each([
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
  ['same', 'same', 0],
])('the distance of %j and %j is %i', (a, b, distance) => {
  expect(toEditDistance(a, b)).toBe(distance);
});

test('the nearest candidate is a few letters away, in any case, or there is none', () => {
  expect(toNearest('raed_file', ['read_file', 'write_file'])).toBe('read_file');
  expect(toNearest('Read_File', ['write_file', 'read_file'])).toBe('read_file');
  expect(toNearest('sessions', ['approve', 'doctor'])).toBeUndefined();
});

test('the word is compared with the beginning of a candidate, or within a limit of its own', () => {
  const title = 'Fix the subtraction of the numbers';
  expect(toNearest('Fix teh sub', [title])).toBeUndefined();
  expect(toNearest('Fix teh sub', [title], { isBeginning: true })).toBe(title);
  expect(toNearest('sesions', ['sessions'], { toLimit: () => 0 })).toBeUndefined();
});
