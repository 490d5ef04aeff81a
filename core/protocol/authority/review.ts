import { z } from 'zod';

/** What a reviewer found about an action of an agent. */
export const reviewSchema = z.object({
  reviewer: z.string(),
  outcome: z.enum(['pass', 'deny']),
  reason: z.string(),
  decidedBy: z.string().describe('`rules`, `model`, or `unavailable`.'),
  usd: z.number().optional().describe('US dollars of the requests to a model; absent without one, or without a price.'),
});
export type Review = z.infer<typeof reviewSchema>;
