import { z } from 'zod';

/** One row of a ChangeSet: how one path differs. A null hash means that there is no such file on that side. */
export const fileChangeSchema = z.object({
  path: z.string().describe('Relative to the workspace, with forward slashes.'),
  kind: z.enum(['created', 'modified', 'deleted']),
  before: z.string().nullable().describe('Lower-case SHA-256 of the content; null when there was no such file.'),
  after: z.string().nullable().describe('The same afterwards.'),
  mode: z.int().optional().describe('Permission bits after the change, where known.'),
});
/** Hashes are lower-case SHA-256 of the content. */
export type FileChange = z.infer<typeof fileChangeSchema>;
