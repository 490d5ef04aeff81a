import type { ChildUse } from '@klaus/core/agent';

/** What an agent used, as `turns: 3, tool calls: 5, cost: $0.0120`. */
export function describeUse({ turns, toolCalls, usd }: ChildUse): string {
  return `turns: ${turns}, tool calls: ${toolCalls}, cost: ${usd === null ? 'unknown' : `$${usd.toFixed(4)}`}`;
}
