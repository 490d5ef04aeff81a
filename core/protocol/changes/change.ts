import { z } from 'zod';

/** How one path differs between two states. A null hash means that the file does not exist in that state. */
export const fileChangeSchema = z.object({
  path: z.string().describe('Relative to the workspace, with forward slashes.'),
  kind: z.enum(['created', 'modified', 'deleted']),
  before: z.string().nullable().describe('Lower-case SHA-256 of the content before; null when the file did not exist.'),
  after: z.string().nullable().describe('Lower-case SHA-256 of the content after; null when the file was deleted.'),
  mode: z.int().optional().describe('Permission bits after the change, if known.'),
});
/** Hashes are lower-case SHA-256 of the content. */
export type FileChange = z.infer<typeof fileChangeSchema>;
