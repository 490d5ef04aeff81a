import { z } from 'zod';
import { blobSchema } from './blob.ts';
import { fileChangeSchema } from '../changes/change.ts';
import { receiptSchema } from '../events/evidence.ts';
import { imagePartSchema } from './message.ts';
import { todoSchema } from './todo.ts';

export const untrustedSchema = z.object({
  source: z.string().describe('Its origin for users: an address, or a name.'),
  addresses: z
    .array(z.string())
    .optional()
    .describe(
      'Addresses that a page names and that may be requested later. Absent for content into which the session can put text itself, such as that of a server in its sandbox.',
    ),
  isWeb: z.literal(true).optional().describe('Present if the text is only from the web.'),
});

/** Content of others in the result of a call. From then on the session asks before it sends anything out. */
export type Untrusted = z.infer<typeof untrustedSchema>;

/** A text of others that a user or a program passed on with a message. */
export const untrustedTextSchema = z.object({
  source: z.string().describe('Its origin for users, such as the standard input of a command.'),
  isAttached: z.literal(true).optional().describe('Present if only the attached files are of others.'),
});
export type UntrustedText = z.infer<typeof untrustedTextSchema>;

export const shownFileSchema = z.object({
  path: z.string().describe('Relative to the workspace, absolute outside it, every symlink resolved.'),
  hash: z.string().describe('Lower-case SHA-256 of its content.'),
  part: z.literal(true).optional().describe('Present if only a part of the content was shown.'),
});
/** A file whose content a result shows to the model. */
export type ShownFile = z.infer<typeof shownFileSchema>;

export const toolResultSchema = z.object({
  outcome: z.enum(['ok', 'error', 'denied', 'cancelled', 'unknown']),
  output: z.string().describe('The text for the model.'),
  images: z.array(imagePartSchema).optional().describe('Images for the model, after the text.'),
  blob: blobSchema.optional().describe('The complete output, if `output` was cut.'),
  detail: z.unknown().optional().describe('Structured details for doors.'),
  changes: z.array(fileChangeSchema).describe('Known changes of the call.'),
  shown: z.array(shownFileSchema).optional().describe('Files whose content `output` shows.'),
  evidence: receiptSchema.optional().describe('Present when the call was a check.'),
  todos: z.array(todoSchema).optional().describe('The new todo list, if the call replaced it.'),
  untrusted: untrustedSchema
    .optional()
    .describe('Present when `output` contains content of others, such as a web page.'),
  durationMs: z.number(),
});
/** The result of a call. */
export type ToolResult = z.infer<typeof toolResultSchema>;
