import { expect, test } from 'vitest';
import { formatCount, formatDuration, formatUsd } from './format.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [12_345_678, '12,345,678'],
  [1_234.567, '1,234.57'],
  [0.5, '0.5'],
])('%s is written %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test('times and money are short, and a small cost is not zero', () => {
  expect([850, 1_240, 200_000].map(formatDuration)).toEqual(['850 ms', '1.2 s', '3 min 20 s']);
  expect([null, 0, 0.0001234, 1.5].map(formatUsd)).toEqual(['cost unknown', '$0', '$0.00012', '$1.50']);
});
