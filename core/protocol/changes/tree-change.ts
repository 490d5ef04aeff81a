import { z } from 'zod';

/**
 * The id of one state of a workspace: lower-case SHA-256 over its entries. The same content has the same id. The ids of
 * further folders that a session may write follow, each after a dot, in the order of `writable`.
 */
export const treeIdSchema = z.string().regex(/^[0-9a-f]{64}(?:\.[0-9a-f]{64})*$/);
export type TreeId = z.infer<typeof treeIdSchema>;

export const treeEntrySchema = z.object({
  type: z.enum(['file', 'symlink', 'directory']),
  hash: z
    .string()
    .describe('Lower-case SHA-256 of the content; of the target for a symlink; of nothing for a directory.'),
  size: z.number().describe('Bytes.'),
  mode: z.int().describe('Permission bits; 0 for a symlink.'),
});
/** Type and content of one path. */
export type TreeEntry = z.infer<typeof treeEntrySchema>;

export const treeChangeSchema = z.object({
  path: z.string().describe('Relative to the workspace, with forward slashes; absolute in a further folder.'),
  kind: z.enum(['created', 'modified', 'deleted']),
  before: treeEntrySchema.nullable(),
  after: treeEntrySchema.nullable(),
});
/** How one path differs between two states of a workspace. */
export type TreeChange = z.infer<typeof treeChangeSchema>;
