import { z } from 'zod';
import { hunkAnswerSchema, scopeSchema } from './authority/approval.ts';
import { authoritySchema } from './authority/grant.ts';
import { limitsSchema } from './settings/limits.ts';
import { partSchema } from './messages/message.ts';
import { modeSchema, onAskSchema } from './authority/mode.ts';

const id = z.string().describe('ULID chosen by the sender: sending the same id twice has one effect.');
const waitForModelMs = z
  .number()
  .optional()
  .describe(
    'Milliseconds for which the run that begins waits out an outage of the model. Absent: as the settings say.',
  );

/** What anyone may ask of a session. Durable in the inbox; the holder of the session turns it into events. */
export const commandSchema = z.discriminatedUnion('type', [
  z
    .object({
      type: z.literal('prompt'),
      id,
      parts: z.array(partSchema),
      pin: z.boolean().optional().describe('Pin its text, under the id of the command. Default false.'),
      onAsk: onAskSchema,
      delivery: z
        .enum(['steer', 'queue'])
        .describe('While a run is under way: seen at its next model call, or its own run afterwards.'),
      waitForModelMs,
    })
    .describe('Begin a run, or speak into one.'),
  z
    .object({ type: z.literal('withdraw'), id, command: z.string().describe('Id of a prompt that still waits.') })
    .describe('Take back a message that nobody has read yet. One that was read stays said.'),
  z
    .object({ type: z.literal('resume'), id, onAsk: onAskSchema, waitForModelMs })
    .describe('Go on after a run that stopped at a limit, a failure or a cancel.'),
  z
    .object({
      type: z.literal('cancel'),
      id,
      run: z.string().optional().describe('Only this run. Absent: whichever is under way.'),
      by: z.string().optional().describe('Who stops it: a door.'),
      reason: z.string().optional().describe('Why, as one sentence for the log. Absent: the user wanted it.'),
    })
    .describe('Stop the run.'),
  z
    .object({
      type: z.literal('approve'),
      id,
      approval: z.string(),
      answer: z.enum(['approved', 'rejected']),
      by: z.string(),
      note: z.string().optional(),
      hunks: hunkAnswerSchema.optional(),
      scope: scopeSchema.optional(),
    })
    .describe('Answer a question, whole or hunk by hunk, for once or for longer.'),
  z.object({ type: z.literal('limits'), id, limits: limitsSchema.partial() }).describe('Set caps of the session.'),
  z
    .object({
      type: z.literal('change'),
      id,
      title: z.string().optional(),
      pinned: z.boolean().optional(),
      model: z.string().optional(),
      mode: modeSchema.optional(),
    })
    .describe('Change title, pin, model or mode.'),
  z
    .object({
      type: z.literal('revoke'),
      id,
      authorities: z
        .array(authoritySchema)
        .optional()
        .describe('What is taken back; an amount is deducted. Absent: everything.'),
      by: z.string().describe('Who took it back: a door.'),
      reason: z.string().optional(),
    })
    .describe('Take authority back, from the next call on; tools at work are stopped.'),
  z
    .object({
      type: z.literal('pin'),
      id: z.string().describe('ULID chosen by the sender; it names the pin from then on.'),
      text: z.string(),
      source: z.string().optional().describe("Where the text comes from, where it is not the user's own."),
      by: z.string().describe('Who pins it: a door.'),
    })
    .describe('Keep a text in the context, word for word.'),
  z
    .object({ type: z.literal('unpin'), id, pin: z.string(), by: z.string() })
    .describe('Let the next compaction leave a pinned text out.'),
]);
export type Command = z.infer<typeof commandSchema>;
