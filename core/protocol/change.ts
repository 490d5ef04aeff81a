import { z } from 'zod';

/** One row of a ChangeSet: how one path differs. A null hash means that there is no such file on that side. */
export const fileChangeSchema = z.object({
  /** Relative to the workspace, with forward slashes. */
  path: z.string(),
  kind: z.enum(['created', 'modified', 'deleted']),
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Permission bits after the change, where known. */
  mode: z.int().optional(),
});
/** Hashes are lower-case SHA-256 of the content. */
export type FileChange = z.infer<typeof fileChangeSchema>;
