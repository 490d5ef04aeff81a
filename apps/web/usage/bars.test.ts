import { expect, test } from 'vitest';
import { toBars, toScale } from './bars.ts';

const row = (key: string, usd: number) => ({ key, name: key, usd });

test('days without usage have a bar of zero', () => {
  const bars = toBars([row('2026-03-02', 3), row('2026-02-27', 1)], 90);
  expect(bars.map(({ key, usd }) => [key, usd])).toEqual([
    ['2026-02-27', 1],
    ['2026-02-28', 0],
    ['2026-03-01', 0],
    ['2026-03-02', 3],
  ]);
});

test('only the latest days are included', () => {
  const bars = toBars([row('2020-01-01', 1), row('2026-03-02', 3)], 3);
  expect(bars.map(({ key }) => key)).toEqual(['2026-02-28', '2026-03-01', '2026-03-02']);
});

test('a scale ends at a round number above the maximum', () => {
  expect(toScale(0.0466).top).toBeCloseTo(0.05);
  expect(toScale(7.2).top).toBe(10);
  expect(toScale(10).top).toBe(10);
  expect(toScale(0)).toEqual({ top: 0, marks: [0], digits: 2 });
  expect(toScale(0.064).digits).toBe(2);
  expect(toScale(0.009).digits).toBe(3);
  expect(toScale(7.2).digits).toBe(2);
});
