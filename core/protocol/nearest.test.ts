import { expect, test } from 'vitest';
import { toEditDistance, toNearest } from './nearest.ts';

test('the nearest name is found for a slip, and none otherwise', () => {
  expect(toNearest('raed_file', ['read_file', 'write_file'])).toBe('read_file');
  expect(toNearest('sessions', ['approve', 'doctor'])).toBeUndefined();
  expect(toEditDistance('kitten', 'sitting')).toBe(3);
});
