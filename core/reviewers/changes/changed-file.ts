import { z } from 'zod';

/** A run of lines that changed together, with unchanged lines around it on both sides. */
export const changedLinesSchema = z.object({
  /** First line in the new file, from 1. */
  line: z.int().nonnegative(),
  before: z.array(z.string()),
  after: z.array(z.string()),
});
export type ChangedLines = z.infer<typeof changedLinesSchema>;

/** One file of a change; made by `parseDiff` or `toChangedFile`. */
export const changedFileSchema = z.object({
  /** Relative to the root of the project, with `/`. */
  path: z.string().min(1),
  kind: z.enum(['created', 'modified', 'deleted', 'renamed']),
  /** Path before a rename. */
  from: z.string().optional(),
  /** Empty for a binary file. */
  hunks: z.array(changedLinesSchema),
});
export type ChangedFile = z.infer<typeof changedFileSchema>;
