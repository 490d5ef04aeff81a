import type { LimitName } from '@klaus/core/protocol';
import { preferences } from '../state/preferences.ts';
import { text } from './text.ts';

function language(): string {
  return preferences.get().language;
}

/** Cached formatters. Creating one takes a hundred times as long as using it. */
const made = new Map<string, unknown>();

function once<F>(name: string, make: (language: string) => F): F {
  const key = `${language()} ${name}`;
  let format = made.get(key) as F | undefined;
  if (!format) made.set(key, (format = make(language())));
  return format;
}

function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return once(JSON.stringify(options), (it) => new Intl.NumberFormat(it, options));
}

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { dateStyle: 'medium', timeStyle: 'medium' } as const;

export function formatCount(value: number): string {
  return numbers({}).format(value);
}

/** Compact notation: `12.3k`. */
export function formatShort(value: number): string {
  const options = { notation: 'compact', maximumFractionDigits: value < 10_000 ? 1 : 0 } as const;
  return numbers(options).format(value);
}

/** A share from 0 to 1 as an integer percentage. */
function formatPercent(share: number): string {
  return numbers({ style: 'percent', maximumFractionDigits: 0 }).format(share);
}

/** A share as an integer percentage; `< 1 %` for smaller shares above zero. */
export function formatShare(share: number): string {
  return share > 0 && share < 0.005 ? `< ${formatPercent(0.01)}` : formatPercent(share);
}

/** US dollars. Null: not known. @param digits After the point. Default: more for small amounts. */
export function formatUsd(usd: number | null, digits = usd !== 0 && Math.abs(usd ?? 1) < 0.1 ? 4 : 2): string {
  if (usd === null) return text().status.unknownPrice;
  const options = {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  return numbers(options).format(usd);
}

/** US dollars with two decimals, for lists: `< $0.01` for a smaller cost above zero. */
export function formatCents(usd: number | null): string {
  return usd !== null && usd > 0 && usd < 0.005 ? `< ${formatUsd(0.01, 2)}` : formatUsd(usd, 2);
}

/** A cost that is known only up to what is held for it: `≤ $0.18`. @param held Null: the price is unknown. */
export function formatCost(usd: number | null, held: number | null = 0): string {
  return usd !== null && held !== null && held > 0 ? `≤ ${formatUsd(usd + held)}` : formatUsd(usd);
}

/** A value of a limit in its unit. */
export function formatLimit(limit: LimitName, value: number): string {
  return limit === 'usd' ? formatUsd(value) : formatCount(value);
}

/** Milliseconds as `420 ms`, `3.2 s`, `1:05` or `1:02:03`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${numbers({ maximumFractionDigits: ms < 10_000 ? 1 : 0 }).format(ms / 1_000)} s`;
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const step = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** step;
  return `${numbers({ maximumFractionDigits: step === 0 ? 0 : 1 }).format(value)} ${units[step]}`;
}

const STEPS: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** A relative time, such as `5 min ago`. */
export function formatAgo(at: number, now: number): string {
  const difference = at - now;
  for (const [ms, unit] of STEPS) {
    if (Math.abs(difference) < ms) continue;
    const value = Math.trunc(difference / ms);
    if (unit === 'day' && Math.abs(value) > 6) return once('day', (it) => new Intl.DateTimeFormat(it, DAY)).format(at);
    const format = once('ago', (it) => new Intl.RelativeTimeFormat(it, { numeric: 'always', style: 'narrow' }));
    return format.format(value, unit);
  }
  return text().time.now;
}

/** A day given as `2026-01-31` in short form; '' for undefined. */
export function formatDay(day: string | undefined): string {
  const at = Date.parse(day ?? '');
  if (Number.isNaN(at)) return '';
  return new Date(at).toLocaleDateString(language(), { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

export function formatTime(at: number): string {
  return once('time', (it) => new Intl.DateTimeFormat(it, TIME)).format(at);
}
