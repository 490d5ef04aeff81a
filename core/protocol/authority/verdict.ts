import { z } from 'zod';

export const verdictSchema = z.enum(['allow', 'ask', 'deny']);
export type Verdict = z.infer<typeof verdictSchema>;

/** The verdict of one rule on a call. */
export const findingSchema = z.object({ rule: z.string(), verdict: verdictSchema, reason: z.string() });
export type Finding = z.infer<typeof findingSchema>;

/** The combined verdict of the gate: deny before ask before allow. Without an allow it is deny. */
export const decisionSchema = z.object({
  verdict: verdictSchema,
  /** The rule whose finding decided. */
  rule: z.string(),
  reason: z.string(),
  findings: z.array(findingSchema),
});
export type Decision = z.infer<typeof decisionSchema>;
