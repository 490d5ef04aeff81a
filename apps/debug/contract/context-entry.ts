import { z } from 'zod';

/** What the prompt says of one item of the context. Its value stays in the program. */
export const contextEntrySchema = z.object({
  name: z.string(),
  /** `Error`, `object`, `string`, or the name of a class. */
  type: z.string(),
  description: z.string().optional(),
});

export type ContextEntry = z.infer<typeof contextEntrySchema>;
