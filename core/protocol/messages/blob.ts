import { z } from 'zod';

/** A reference to bytes kept outside the log, by content. */
export const blobSchema = z.object({
  hash: z.string().describe('Lower-case SHA-256 of the bytes.'),
  size: z.int().describe('Bytes.'),
});
export type BlobRef = z.infer<typeof blobSchema>;
