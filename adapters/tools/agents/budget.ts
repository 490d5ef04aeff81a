import { z } from 'zod';
import type { Limits } from '@klaus/core/protocol';

/** The part of the limits of a session that an agent gets. */
export const budgetSchema = z
  .strictObject({
    usd: z.number().positive(),
    tokens: z.int().positive(),
    turns: z.int().positive(),
    tool_calls: z.int().positive(),
    minutes: z.number().positive().describe('Minutes in which models work.'),
  })
  .partial()
  .describe(
    'Its part of your limits. Default: a quarter of what is left of each. What it does not use returns to you.',
  );

export function toLimits(budget: z.infer<typeof budgetSchema> | undefined): Partial<Limits> | undefined {
  if (!budget) return undefined;
  const { usd, tokens, turns, minutes, tool_calls: toolCalls } = budget;
  return { usd, tokens, turns, toolCalls, minutes };
}
