import { z } from 'zod';

/** A reference to bytes kept outside the log, by content. */
export const blobSchema = z.object({
  /** Lower-case SHA-256 of the bytes. */
  hash: z.string(),
  /** Bytes. */
  size: z.int(),
});
export type BlobRef = z.infer<typeof blobSchema>;
