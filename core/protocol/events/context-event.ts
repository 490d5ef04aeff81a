import { z } from 'zod';
import { messageSchema } from '../messages/message.ts';
import { untrustedTextSchema } from '../messages/tool-result.ts';
import { run } from './event-fields.ts';

export const messageAdded = z
  .object({
    type: z.literal('message.added'),
    ...run,
    turn: z.int().describe('The turn that made it or, for user text, the last turn before it.'),
    message: messageSchema,
    tainted: z.literal(true).optional().describe('Present for a task from a session that had read untrusted content.'),
    untrusted: untrustedTextSchema.optional().describe('Present if the message contains a text of others.'),
  })
  .describe(
    'A message was added to the history. Results of calls are added by the fold, in call order, from tool.finished.',
  );

export const compactionRequested = z
  .object({ type: z.literal('compaction.requested'), ...run, by: z.string().describe('The door that requested it.') })
  .describe('A user requested a compaction. It is made before the next request to the model.');

export const contextCompacted = z
  .object({
    type: z.literal('context.compacted'),
    ...run,
    turn: z.int(),
    summary: z.string(),
    firstKept: z.string().describe('Id of the first message that the summary does not replace.'),
    dropped: z
      .int()
      .describe(
        'Number of messages that the summary replaces; 0 when none could be replaced, which ends the run unless a user requested the compaction.',
      ),
  })
  .describe('The beginning of the history was replaced by a summary. The log keeps all messages.');

export const contextPinned = z
  .object({
    type: z.literal('context.pinned'),
    pin: z.string(),
    turn: z.int().describe('The last turn before it.'),
    text: z.string().describe('The text that stays in the context unchanged.'),
    source: z.string().optional().describe('Origin of the text. Absent: the user wrote it.'),
    known: z
      .literal(true)
      .optional()
      .describe('Present when the history contains the text already. Absent: it was added to the history.'),
    by: z.string().describe('The door that pinned it.'),
  })
  .describe('A text was pinned. Every compaction keeps it unchanged.');

export const contextUnpinned = z
  .object({ type: z.literal('context.unpinned'), pin: z.string(), by: z.string() })
  .describe('A pin was removed. The next compaction may leave the text out.');
