import { expect, test } from 'vitest';
import { isUlid, readUlidTime, toUlid } from './ulid.ts';

test('gives its time back', () => {
  for (const time of [0, 1, 1_795_431_480_298, 2 ** 48 - 1])
    expect(readUlidTime(toUlid(time, new Uint8Array(10)))).toBe(time);
  expect(readUlidTime('none')).toBeUndefined();
});

test('encodes the published example of the time part', () => {
  expect(toUlid(1_469_918_176_385, new Uint8Array(10)).slice(0, 10)).toBe('01ARYZ6S41');
});

test('sorts by time, then by randomness', () => {
  const low = toUlid(1_000, new Uint8Array(10).fill(255));
  const high = toUlid(1_001, new Uint8Array(10));
  expect(low < high).toBe(true);
  expect(toUlid(5, new Uint8Array(10).fill(1)) < toUlid(5, new Uint8Array(10).fill(2))).toBe(true);
  expect(isUlid(low)).toBe(true);
  expect(toUlid(2 ** 48 - 1, new Uint8Array(10).fill(255))).toBe('7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
});

test.each([-1, 1.5, 2 ** 48])('refuses the time %s', (time) => {
  expect(() => toUlid(time, new Uint8Array(10))).toThrow(RangeError);
});
