import { z } from 'zod';
import { blobSchema } from './blob.ts';
import { fileChangeSchema } from '../changes/change.ts';
import { receiptSchema } from '../events/evidence.ts';

export const toolResultSchema = z.object({
  outcome: z.enum(['ok', 'error', 'denied', 'cancelled', 'unknown']),
  output: z.string().describe('What the model sees.'),
  blob: blobSchema.optional().describe('The whole output, where it was cut.'),
  detail: z.unknown().optional().describe('Structured detail for doors.'),
  changes: z.array(fileChangeSchema).describe('What is known to have changed.'),
  evidence: receiptSchema.optional().describe('Present when the call was a check.'),
  durationMs: z.number(),
});
/** What a call came to. */
export type ToolResult = z.infer<typeof toolResultSchema>;
