import { expect, test } from 'vitest';
import { cost, priceFor, worstCase } from './cost.ts';
import type { ModelInfo } from '../ports/model.ts';

const info: ModelInfo = {
  contextWindow: 1_000_000,
  maxOutputTokens: 128_000,
  images: true,
  prices: [
    { above: 0, price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 } },
    { above: 100_000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
  ],
};
const unpriced: ModelInfo = { ...info, prices: [] };

test('each cache class has its own price', () => {
  expect(cost(info, { input: 1_000, output: 2_000, cacheRead: 10_000, cacheWrite: 4_000 })).toBeCloseTo(
    (1_000 * 1 + 2_000 * 5 + 10_000 * 0.1 + 4_000 * 1.25) / 1e6,
    12,
  );
});

test('all tokens of a long prompt are billed at its step, regardless of their cache class', () => {
  expect(priceFor(info, 100_000)!.input).toBe(1);
  expect(priceFor(info, 100_001)!.input).toBe(5);
  expect(cost(info, { input: 1, output: 0, cacheRead: 100_000, cacheWrite: 0 })).toBeCloseTo((5 + 50_000) / 1e6, 12);
});

test('an unknown price is null, not zero', () => {
  expect(cost(unpriced, { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 })).toBeNull();
  expect(worstCase(unpriced, 1, 1)).toBeNull();
});

test('no split of the prompt into cache classes costs more than the worst case', () => {
  for (const prompt of [0, 1, 99_999, 100_000, 100_001, 500_000]) {
    const worst = worstCase(info, prompt, 8_000)!;
    for (const usage of [
      { input: prompt, output: 8_000, cacheRead: 0, cacheWrite: 0 },
      { input: 0, output: 8_000, cacheRead: prompt, cacheWrite: 0 },
      { input: 0, output: 8_000, cacheRead: 0, cacheWrite: prompt },
    ]) {
      expect(cost(info, usage)!).toBeLessThanOrEqual(worst + 1e-12);
    }
  }
});
