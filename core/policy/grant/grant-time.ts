const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{3})?)?Z)?$/;
const SPAN = /^(\d{1,6})(m|h|d)$/;
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

// oxlint-disable-next-line no-restricted-globals -- With an argument it is a calendar and no clock.
const toDate = (time: string | number): Date => new Date(time);

/**
 * Reads a time in UTC (`2026-12-01`, `2026-12-01T12:00Z`) or, if the current time is given, a span from now
 * (`30m`, `2h`, `7d`). Undefined for anything else.
 *
 * @param now Unix milliseconds.
 */
export function readTime(text: string, now?: number): number | undefined {
  const span = SPAN.exec(text);
  if (span && now !== undefined) return now + Number(span[1]) * UNITS[span[2] as keyof typeof UNITS];
  if (!TIME.test(text)) return undefined;
  const date = toDate(text);
  const ms = date.getTime();
  // The platform reads 30 February as 2 March, and 24:00 as the next day.
  return ms >= 0 && date.toISOString().startsWith(text.slice(0, 10)) ? ms : undefined;
}

/**
 * A time in UTC, without seconds if they are zero.
 *
 * @param ms Unix milliseconds, from 1970 up to the year 9999.
 */
export function toTimeText(ms: number): string {
  return toDate(ms)
    .toISOString()
    .replace(/:00\.000Z$/, 'Z');
}
