import { z } from 'zod';

export const contextPinned = z
  .object({
    type: z.literal('context.pinned'),
    pin: z.string(),
    turn: z.int().describe('The last turn before it.'),
    text: z.string().describe('What stays in the context word for word.'),
    source: z.string().optional().describe("Where the text comes from, where it is not the user's own."),
    known: z
      .literal(true)
      .optional()
      .describe('Present when the history held the text already; else it was added to it.'),
    by: z.string().describe('Who pinned it: a door.'),
  })
  .describe('A text was pinned: it survives every compaction word for word.');

export const contextUnpinned = z
  .object({ type: z.literal('context.unpinned'), pin: z.string(), by: z.string() })
  .describe('A pinned text may be left out by the next compaction.');
