import type { UsageRowView } from '@klaus/server/contract';

const DAY_MS = 86_400_000;

/** The figures of a row of usage. */
export type Figures = Omit<UsageRowView, 'broken' | 'abandoned'>;

/** Days are those of UTC, such as `2026-01-31`. */
export function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

const NOTHING = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  usd: 0,
  heldUsd: 0,
};

/** A row for every day from the first with usage, or from `from` if that is later, to `to`. Days without usage are zero. */
export function fillDays(rows: readonly Figures[], { from, to }: { from: string; to: string }): Figures[] {
  const known = new Map(rows.map((row) => [row.key, row]));
  const first = [...known.keys()].toSorted()[0];
  if (first === undefined) return [];
  const days: Figures[] = [];
  for (let at = Date.parse(first > from ? first : from); at <= Date.parse(to); at += DAY_MS) {
    const key = toDay(at);
    days.push(known.get(key) ?? { key, ...NOTHING });
  }
  return days;
}

/** The sum of all rows. Its cost is null if a price is not known. */
export function sumFigures(rows: readonly Figures[]): Omit<Figures, 'key'> {
  const sum = (pick: (row: Figures) => number) => rows.reduce((all, row) => all + pick(row), 0);
  return {
    heldUsd: sum((row) => row.heldUsd),
    usd: rows.some(({ usd }) => usd === null) ? null : sum(({ usd }) => usd ?? 0),
    requests: sum((row) => row.requests),
    inputTokens: sum((row) => row.inputTokens),
    outputTokens: sum((row) => row.outputTokens),
    cacheReadTokens: sum((row) => row.cacheReadTokens),
    cacheWriteTokens: sum((row) => row.cacheWriteTokens),
  };
}

/** The part of the input tokens that came from the prompt cache, from 0 to 1. Undefined without input. */
export function toCacheRate(total: Omit<Figures, 'key'>): number | undefined {
  const all = total.inputTokens + total.cacheReadTokens + total.cacheWriteTokens;
  return all === 0 ? undefined : total.cacheReadTokens / all;
}

export interface Forecast {
  /** US dollars of this month until now. */
  spent: number;
  /** US dollars of a day: the mean of the last 14 days, or of those since the first with usage. */
  perDay: number;
  /** US dollars at the end of this month. */
  total: number;
}

/** Days of the mean. */
const MEAN_DAYS = 14;

/**
 * The cost of this month (UTC) if each further day costs as much as the last ones did. Unknown prices count as zero.
 *
 * @param days Rows by day.
 * @param now Unix milliseconds.
 */
export function toForecast(days: readonly Pick<Figures, 'key' | 'usd'>[], now: number): Forecast {
  const sum = (from: string) => days.reduce((all, { key, usd }) => (key >= from ? all + (usd ?? 0) : all), 0);
  const today = toDay(now);
  const spent = sum(`${today.slice(0, 7)}-01`);
  const first = days.map(({ key }) => key).toSorted()[0] ?? today;
  const begin = Math.max(Date.parse(first), Date.parse(today) - (MEAN_DAYS - 1) * DAY_MS);
  const perDay = sum(toDay(begin)) / (Math.round((Date.parse(today) - begin) / DAY_MS) + 1);
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number);
  const left = new Date(Date.UTC(year, month, 0)).getUTCDate() - day;
  return { spent, perDay, total: spent + perDay * left };
}

export interface HeatCell {
  day: string;
  usd: number | null;
  /** 0 for no cost, to 4. */
  level: 0 | 1 | 2 | 3 | 4;
}

/**
 * The days of the last weeks, each week from Monday to Sunday. The last week ends today.
 *
 * @param days Rows by day.
 */
export function toHeatMap(
  days: readonly Pick<Figures, 'key' | 'usd'>[],
  { now, weeks }: { now: number; weeks: number },
): HeatCell[][] {
  const known = new Map(days.map(({ key, usd }) => [key, usd]));
  const today = Date.parse(toDay(now));
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS;
  const first = monday - (weeks - 1) * 7 * DAY_MS;
  const top = Math.max(0, ...[...known.values()].map((usd) => usd ?? 0));
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_day, at) => first + (week * 7 + at) * DAY_MS)
      .filter((at) => at <= today)
      .map((at) => {
        const usd = known.get(toDay(at)) ?? (known.has(toDay(at)) ? null : 0);
        return { day: toDay(at), usd, level: toLevel(usd, top) };
      }),
  );
}

/** A cost that is not known has the lowest level above none. */
function toLevel(usd: number | null, top: number): HeatCell['level'] {
  if (usd === null) return 1;
  if (usd === 0 || top === 0) return 0;
  return Math.min(4, Math.ceil((usd / top) * 4)) as HeatCell['level'];
}

const COLUMNS = ['usd', 'requests', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

/**
 * Comma-separated values (RFC 4180). A name that a spreadsheet would run as a formula begins with an apostrophe.
 *
 * @param head Names of the columns: that of the key, then cost, requests, input, output, cache read and cache write.
 */
export function toCsv(head: readonly string[], rows: readonly Figures[]): string {
  const lines = [head, ...rows.map((row) => [row.key, ...COLUMNS.map((column) => row[column] ?? '')])];
  return lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('');
}

function toCell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
