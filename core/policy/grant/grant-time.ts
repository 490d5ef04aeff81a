const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?Z)?$/;
const SPAN = /^(\d{1,6})(m|h|d)$/;
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Reads a time in UTC (`2026-12-01`, `2026-12-01T12:00Z`) or, if the current time is given, a span from now
 * (`30m`, `2h`, `7d`). Undefined for anything else.
 *
 * @param now Unix milliseconds.
 */
export function readTime(text: string, now?: number): number | undefined {
  const span = SPAN.exec(text);
  if (span && now !== undefined) return now + Number(span[1]) * UNITS[span[2] as keyof typeof UNITS];
  const parts = TIME.exec(text)
    ?.slice(1)
    .map((part) => Number(part ?? 0));
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = parts;
  const days = toDays(year, month, day);
  const isReal = month >= 1 && month <= 12 && day >= 1 && toDate(days).join() === [year, month, day].join();
  if (!isReal || days < 0 || hour > 23 || minute > 59 || second > 59) return undefined;
  return days * UNITS.d + hour * UNITS.h + minute * UNITS.m + second * 1_000 + ms;
}

/**
 * A time in UTC, without seconds if they are zero.
 *
 * @param ms Unix milliseconds, from 1970 up to the year 9999.
 */
export function toTimeText(ms: number): string {
  const [year, month, day] = toDate(Math.floor(ms / UNITS.d));
  const rest = ms % UNITS.d;
  const [hour, minute] = [Math.floor(rest / UNITS.h), Math.floor((rest % UNITS.h) / UNITS.m)];
  const seconds = Math.floor((rest % UNITS.m) / 1_000);
  const exact = rest % UNITS.m === 0 ? '' : `:${pad(seconds)}.${String(rest % 1_000).padStart(3, '0')}`;
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}${exact}Z`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** Leap days before 1 January of a year, since year 0. */
function countLeapDays(year: number): number {
  const last = year - 1;
  return Math.floor(last / 4) - Math.floor(last / 100) + Math.floor(last / 400);
}

/** Days from 1 January 1970 to 1 January of a year, in today's calendar. */
function toYearStart(year: number): number {
  return (year - 1970) * 365 + countLeapDays(year) - countLeapDays(1970);
}

/** Days since 1970. */
function toDays(year: number, month: number, day: number): number {
  const leap = month > 2 && isLeap(year) ? 1 : 0;
  return toYearStart(year) + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + leap + day - 1;
}

/** Year, month and day of a number of days since 1970. */
function toDate(days: number): [year: number, month: number, day: number] {
  let year = 1970 + Math.floor(days / 365.2425);
  while (toYearStart(year) > days) year--;
  while (toYearStart(year + 1) <= days) year++;
  let month = 12;
  while (toDays(year, month, 1) > days) month--;
  return [year, month, days - toDays(year, month, 1) + 1];
}
