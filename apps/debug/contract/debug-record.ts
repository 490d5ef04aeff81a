import { z } from 'zod';
import { contextEntrySchema } from './context-entry.ts';
import { errorSummarySchema } from './cli-input.ts';
import { consoleEntrySchema } from './debug-tools.ts';
import { stackFrameSchema } from './stack-frame.ts';
import { valueNodeSchema } from './value-node.ts';

/** A failure that was recorded without a model, for `klendathu investigate RECORD`. Secrets are masked. */
export const debugRecordSchema = z.object({
  protocol: z.int().nonnegative(),
  /** Same cause, same fingerprint: 16 hexadecimal digits. */
  fingerprint: z.string(),
  language: z.string(),
  runtime: z.string(),
  timestamp: z.string(),
  pid: z.int(),
  projectRoot: z.string(),
  error: errorSummarySchema,
  frames: z.array(stackFrameSchema.extend({ locals: z.array(valueNodeSchema).optional() })),
  context: z.array(contextEntrySchema.extend({ value: valueNodeSchema })),
  console: z.array(consoleEntrySchema),
  /** Number of failures with this fingerprint since the record was made. */
  count: z.int().positive(),
});

export type DebugRecord = z.infer<typeof debugRecordSchema>;
