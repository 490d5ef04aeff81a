import type { LimitName } from '@klaus/core/protocol';
import { formatCount, formatUsd } from '../text/format.ts';

/** A value of a limit in its unit. */
export function formatLimit(limit: LimitName, value: number): string {
  return limit === 'usd' ? formatUsd(value) : formatCount(value);
}
