import { z } from 'zod';

export const verdictSchema = z.enum(['allow', 'ask', 'deny']);
export type Verdict = z.infer<typeof verdictSchema>;

/** What one rule said about a call. */
export const findingSchema = z.object({ rule: z.string(), verdict: verdictSchema, reason: z.string() });
export type Finding = z.infer<typeof findingSchema>;

/** The combined answer of the gate: deny > ask > allow, and no allow means deny. */
export const decisionSchema = z.object({
  verdict: verdictSchema,
  /** The rule whose finding decided. */
  rule: z.string(),
  reason: z.string(),
  findings: z.array(findingSchema),
});
export type Decision = z.infer<typeof decisionSchema>;
