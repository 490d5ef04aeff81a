import { expect, test } from 'vitest';
import { toEstimate } from './statistics.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

// Ranks from printed tables of the confidence interval of a median at 95 %.
test.each([
  [6, 1, 6],
  [9, 2, 8],
  [21, 6, 16],
  [50, 18, 33],
])('of %i values the interval goes from the one of rank %i to that of rank %i', (count, low, high) => {
  expect(toEstimate(range(count).toReversed())).toMatchObject({ interval: { low, high } });
});

test('too few values give no interval', () => {
  expect(toEstimate(range(5))).toEqual({ median: 3, interval: undefined });
  expect(() => toEstimate([])).toThrow('nothing');
});
