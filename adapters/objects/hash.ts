import { z } from 'zod';

/** A SHA-256 as it is in keys and manifests. */
export const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
