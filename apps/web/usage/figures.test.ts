import { expect, test } from 'vitest';
import { type Figures, fillDays, sumFigures, toCacheRate, toCsv, toForecast, toHeatMap } from './figures.ts';

const row = (key: string, usd: number | null, more: Partial<Figures> = {}): Figures => ({
  ...{ key, usd, heldUsd: 0, requests: 1, inputTokens: 10, outputTokens: 1, cacheReadTokens: 30, cacheWriteTokens: 0 },
  ...more,
});

const at = (day: string) => Date.parse(`${day}T15:00:00Z`);

test('days without usage are rows of zero, until today', () => {
  const rows = [row('2026-03-02', 3), row('2026-02-27', 1)];
  const days = fillDays(rows, { from: '2020-01-01', to: '2026-03-03' });
  expect(days.map(({ key, usd }) => [key, usd])).toEqual([
    ['2026-02-27', 1],
    ['2026-02-28', 0],
    ['2026-03-01', 0],
    ['2026-03-02', 3],
    ['2026-03-03', 0],
  ]);
  expect(fillDays(rows, { from: '2026-03-02', to: '2026-03-03' })).toHaveLength(2);
  expect(fillDays([], { from: '2026-03-02', to: '2026-03-03' })).toEqual([]);
});

test('the sum and the hit rate of the cache', () => {
  const total = sumFigures([row('a', 1), row('b', 2, { cacheWriteTokens: 20 })]);
  expect(total).toEqual({
    ...{ usd: 3, heldUsd: 0, requests: 2, inputTokens: 20, outputTokens: 2, cacheReadTokens: 60, cacheWriteTokens: 20 },
  });
  expect(toCacheRate(total)).toBeCloseTo(0.6);
  expect(toCacheRate(sumFigures([]))).toBeUndefined();
  expect(sumFigures([row('a', 1), row('b', null)]).usd).toBeNull();
});

test('the forecast adds the mean of the last 14 days for each day that is left', () => {
  // 30 days; 20 of them are left after the tenth.
  const days = [row('2026-04-10', 7), row('2026-04-01', 7), row('2026-03-28', 14), row('2026-01-01', 100)];
  expect(toForecast(days, at('2026-04-10'))).toEqual({ spent: 14, perDay: 2, total: 54 });
  // Days before the first usage do not lower the mean.
  expect(toForecast([row('2026-04-09', 3), row('2026-04-10', 1)], at('2026-04-10'))).toEqual({
    ...{ spent: 4, perDay: 2, total: 44 },
  });
  expect(toForecast([], at('2026-02-28'))).toEqual({ spent: 0, perDay: 0, total: 0 });
  expect(toForecast([row('2028-02-28', 1)], at('2028-02-28')).total).toBe(2);
});

test('a heat map has weeks from Monday on, and levels relative to the highest day', () => {
  // A Wednesday.
  const weeks = toHeatMap([row('2026-04-08', 8), row('2026-04-07', 1), row('2026-04-01', null)], {
    now: at('2026-04-08'),
    weeks: 2,
  });
  expect(weeks.map((week) => week.map(({ day }) => day.slice(5)))).toEqual([
    ['03-30', '03-31', '04-01', '04-02', '04-03', '04-04', '04-05'],
    ['04-06', '04-07', '04-08'],
  ]);
  expect(weeks[1]!.map(({ level }) => level)).toEqual([0, 1, 4]);
  expect(weeks[0]![2]).toMatchObject({ usd: null, level: 1 });
  expect(weeks[0]![0]).toMatchObject({ usd: 0, level: 0 });
});

test('CSV has quotes where needed, and no formulas', () => {
  const head = ['Session', 'Cost', 'Requests', 'Input', 'Output', 'Cache read', 'Cache write'];
  const text = toCsv(head, [row('=1+cmd|"x",\ny', 0.5), row('plain', null)]);
  expect(text).toBe(`${head.join(',')}\r\n"'=1+cmd|""x"",\ny",0.5,1,10,1,30,0\r\nplain,,1,10,1,30,0\r\n`);
});
