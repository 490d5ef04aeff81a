import { preferences } from '../state/preferences.ts';
import { text } from './text.ts';

function language(): string {
  return preferences.get().language;
}

export function formatCount(value: number): string {
  return value.toLocaleString(language());
}

/** Few characters for many: `12.3k`. */
export function formatShort(value: number): string {
  const options = { notation: 'compact', maximumFractionDigits: value < 10_000 ? 1 : 0 } as const;
  return new Intl.NumberFormat(language(), options).format(value);
}

/** US dollars; small amounts keep the digits that tell them from nothing. Null: not known. */
export function formatUsd(usd: number | null): string {
  if (usd === null) return text().status.unknownPrice;
  const digits = usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2;
  const options = { style: 'currency', currency: 'USD', minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language(), options as Intl.NumberFormatOptions).format(usd);
}

/** Milliseconds as `420 ms`, `3.2 s`, `1:05` or `1:02:03`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000)
    return `${(ms / 1_000).toLocaleString(language(), { maximumFractionDigits: ms < 10_000 ? 1 : 0 })} s`;
  const seconds = Math.floor(ms / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const step = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** step;
  return `${value.toLocaleString(language(), { maximumFractionDigits: step === 0 ? 0 : 1 })} ${units[step]}`;
}

const STEPS: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** How long ago, or how far ahead, in a word or two. */
export function formatAgo(at: number, now: number): string {
  const difference = at - now;
  for (const [ms, unit] of STEPS) {
    if (Math.abs(difference) < ms) continue;
    const value = Math.trunc(difference / ms);
    if (unit === 'day' && Math.abs(value) > 6) return formatDate(at);
    return new Intl.RelativeTimeFormat(language(), { numeric: 'always', style: 'narrow' }).format(value, unit);
  }
  return text().time.now;
}

function formatDate(at: number): string {
  return new Date(at).toLocaleDateString(language(), { day: 'numeric', month: 'short', year: 'numeric' });
}

export function formatTime(at: number): string {
  return new Date(at).toLocaleString(language(), { dateStyle: 'medium', timeStyle: 'medium' });
}
