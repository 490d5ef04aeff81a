import { expect, test } from 'vitest';
import { countCommonPrefix, interleave, meanStep, median } from './measure.ts';

test('the median does not care for outliers or order', () => {
  expect(median([5, 1, 900])).toBe(5);
  expect(median([4, 1, 2, 900])).toBe(3);
  expect(() => median([])).toThrow('nothing');
});

test('rounds alternate which thing goes first, and the warm-up does not count', async () => {
  const order: string[] = [];
  let calls = 0;
  const medians = await interleave(
    {
      a: async () => {
        order.push('a');
        return calls++ < 2 ? 1_000 : 1;
      },
      b: async () => {
        order.push('b');
        return calls++ < 2 ? 1_000 : 2;
      },
    },
    2,
  );
  expect(order.join('')).toBe('abbaab');
  expect(medians).toEqual({ a: 1, b: 2 });
});

test('a common prefix ends at the first byte that differs, or with the shorter text', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(countCommonPrefix(bytes('abcd'), bytes('abxd'))).toBe(2);
  expect(countCommonPrefix(bytes('abc'), bytes('abcdef'))).toBe(3);
  expect(countCommonPrefix(bytes('x'), bytes('y'))).toBe(0);
});

test('the mean step is that between the first and the last reading', () => {
  expect(meanStep([10, 11, 19])).toBe(4.5);
  expect(() => meanStep([10])).toThrow('two');
});
