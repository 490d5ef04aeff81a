import { formatCount } from '../format-count.ts';
import type { LimitName, RecordedLimits } from './limits.ts';

/** The use of a limit. */
export interface LimitUsed {
  limit: LimitName;
  used: number;
  cap: number;
}

const NOUNS = { tokens: 'token', toolCalls: 'tool call', turns: 'turn', minutes: 'minute' } as const;

/** In the order in which they are listed. */
const LIMITS = ['usd', 'tokens', 'minutes', 'toolCalls', 'turns'] as const;

/** The smallest amount that has two decimals. */
const CENT = 0.01;

/** `50`, `$5.00`. */
export function formatAmount(limit: LimitName, amount: number): string {
  if (limit !== 'usd') return formatCount(Math.ceil(amount));
  return `$${amount.toFixed(amount > 0 && amount < CENT ? 4 : 2)}`;
}

/** `50 tool calls`, `$5.00`. */
export function describeAmount(limit: LimitName, amount: number): string {
  const text = formatAmount(limit, amount);
  return limit === 'usd' ? text : `${text} ${NOUNS[limit]}${Math.ceil(amount) === 1 ? '' : 's'}`;
}

/** `$5.00, 50 tool calls`; '' without limits. */
export function describeLimits(limits: Readonly<RecordedLimits>): string {
  const set = LIMITS.flatMap((limit) => ((limits[limit] ?? 0) > 0 ? [{ limit, cap: limits[limit]! }] : []));
  return set.map(({ limit, cap }) => describeAmount(limit, cap)).join(', ');
}

/** `8 of 50 tool calls`, `51 tool calls, limit 50`. */
export function describeUse({ limit, used, cap }: LimitUsed): string {
  if (used > cap) return `${describeAmount(limit, used)}, limit ${formatAmount(limit, cap)}`;
  return `${formatAmount(limit, used)} of ${describeAmount(limit, cap)}`;
}

/** `98,000 of 100,000 tokens used`; from the limit on only what is used: `50 tool calls used`. */
export function describeUsed(use: LimitUsed): string {
  const { limit, used, cap } = use;
  const isReached = used >= cap || formatAmount(limit, used) === formatAmount(limit, cap);
  return `${isReached ? describeAmount(limit, used) : describeUse(use)} used`;
}

/** How much more than now an offered limit allows. */
export function toMore({ used, cap, offer }: LimitUsed & { offer: number }): number {
  return offer - Math.max(used, cap);
}

/** `50 tool calls used. Allow 25 more?` */
export function describeOffer(reached: LimitUsed & { offer: number }): string {
  return `${describeUsed(reached)}. Allow ${formatAmount(reached.limit, toMore(reached))} more?`;
}
