import { formatCount } from '@klaus/core/format-count';
import { pluralize } from '@klaus/core/pluralize';
import type { Usage } from '@klaus/core/protocol';

export { formatCount } from '@klaus/core/format-count';

/** `850 ms`, `1.2 s`, `3 min 20 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** US dollars, precise enough that a small run does not look free. Null is an unknown price. */
export function formatUsd(usd: number | null): string {
  if (usd === null) return 'cost unknown';
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toFixed(5)}` : `$${usd.toFixed(2)}`;
}

/** A cost that is known only up to what is held for it: `≤ $0.18`. @param held Null: the price is unknown. */
export function formatCost(usd: number | null, held: number | null = 0): string {
  return usd !== null && held !== null && held > 0 ? `≤ ${formatUsd(usd + held)}` : formatUsd(usd);
}

/** `12,000 tokens in (10,000 from cache), 340 out`. @param isEstimated Marks it with `≈`. Default false. */
export function formatUsage(usage: Usage, isEstimated = false): string {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  const cached = usage.cacheRead > 0 ? ` (${formatCount(usage.cacheRead)} from cache)` : '';
  return `${isEstimated ? '≈ ' : ''}${formatCount(input)} tokens in${cached}, ${formatCount(usage.output)} out`;
}

/** `1 turn`, `2 turns`. */
export function formatNumber(count: number, noun: string): string {
  return `${formatCount(count)} ${pluralize(count, { one: noun, other: `${noun}s` })}`;
}

/** Bytes as KiB, MiB or GiB. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return unit === 0 ? `${bytes} bytes` : `${value.toFixed(1)} ${units[unit]}`;
}
