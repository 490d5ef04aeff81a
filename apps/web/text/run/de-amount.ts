import type { LimitName } from '@klaus/core/protocol';

/** A value of a limit in German, without its unit except dollars. */
export function formatGermanAmount(limit: LimitName, value: number): string {
  if (limit !== 'usd') return Math.ceil(value).toLocaleString('de-DE');
  const digits = value > 0 && value < 0.01 ? 4 : 2;
  return `${value.toLocaleString('de-DE', { minimumFractionDigits: digits, maximumFractionDigits: digits })} $`;
}
