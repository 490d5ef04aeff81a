import { z } from 'zod';

/** A check that ran in a run: what proves, or disproves, a claim of success. */
export const evidenceSchema = z.object({
  call: z.string(),
  command: z.string(),
  exitCode: z.int().nullable(),
});
export type Evidence = z.infer<typeof evidenceSchema>;
