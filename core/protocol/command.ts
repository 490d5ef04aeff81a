import { z } from 'zod';
import { hunkAnswerSchema, scopeSchema } from './approval.ts';
import { authoritySchema } from './grant.ts';
import { limitsSchema } from './limits.ts';
import { partSchema } from './message.ts';
import { modeSchema, onAskSchema } from './mode.ts';

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
      onAsk: onAskSchema,
      delivery: z
        .enum(['steer', 'queue'])
        .describe('While a run is under way: seen at its next model call, or its own run afterwards.'),
      waitForModelMs,
    })
    .describe('Begin a run, or speak into one.'),
  z
    .object({ type: z.literal('resume'), id, onAsk: onAskSchema, waitForModelMs })
    .describe('Go on after a run that stopped at a limit, a failure or a cancel.'),
  z.object({ type: z.literal('cancel'), id }).describe('Stop the run.'),
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
]);
export type Command = z.infer<typeof commandSchema>;
