import { z } from 'zod';

/** A reference by content to bytes that are stored outside the log. */
export const blobSchema = z.object({
  hash: z.string().describe('Lower-case SHA-256 of the bytes.'),
  size: z.int().describe('Bytes.'),
  lines: z.int().optional().describe('Lines of the complete output of a call.'),
});
export type BlobRef = z.infer<typeof blobSchema>;
