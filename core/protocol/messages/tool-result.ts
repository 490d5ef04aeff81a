import { z } from 'zod';
import { blobSchema } from './blob.ts';
import { fileChangeSchema } from '../changes/change.ts';
import { receiptSchema } from '../events/evidence.ts';
import { todoSchema } from './todo.ts';

export const toolResultSchema = z.object({
  outcome: z.enum(['ok', 'error', 'denied', 'cancelled', 'unknown']),
  output: z.string().describe('The text for the model.'),
  blob: blobSchema.optional().describe('The complete output, if `output` was cut.'),
  detail: z.unknown().optional().describe('Structured details for doors.'),
  changes: z.array(fileChangeSchema).describe('Known changes of the call.'),
  evidence: receiptSchema.optional().describe('Present when the call was a check.'),
  todos: z.array(todoSchema).optional().describe('The new todo list, if the call replaced it.'),
  durationMs: z.number(),
});
/** The result of a call. */
export type ToolResult = z.infer<typeof toolResultSchema>;
