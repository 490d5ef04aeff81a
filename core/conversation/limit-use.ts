import { toCountedTokens, type Limits } from '@klaus/core/protocol';
import type { Conversation } from './conversation.ts';

/** The usage of one limit. `share`: 1 at the cap, and more beyond it; 0 without a cap (`cap` 0). */
export interface LimitUse {
  limit: keyof Limits;
  share: number;
  used: number;
  cap: number;
}

export function limitsOf(view: Conversation): LimitUse[] {
  const used: Record<keyof Limits, number> = {
    tokens: toCountedTokens(view.usage) + view.held.tokens,
    usd: (view.usd ?? 0) + (view.held.usd ?? 0),
    toolCalls: view.toolCalls,
    turns: view.turns,
    minutes: view.minutes,
  };
  return (Object.keys(used) as (keyof Limits)[]).map((limit) => {
    const cap = view.limits[limit];
    return { limit, share: cap > 0 ? used[limit] / cap : 0, used: used[limit], cap };
  });
}

/** The limit closest to its cap; undefined without limits. */
export function closestLimit(view: Conversation): LimitUse | undefined {
  return limitsOf(view)
    .filter(({ cap }) => cap > 0)
    .toSorted((a, b) => b.share - a.share)[0];
}
