import { z } from 'zod';
import { fallbackSchema } from './settings/model-name.ts';
import { hunkAnswerSchema, scopeSchema } from './authority/approval.ts';
import { authoritySchema } from './authority/grant.ts';
import { limitsSchema } from './settings/limits.ts';
import { partSchema } from './messages/message.ts';
import { modeSchema, onAskSchema } from './authority/mode.ts';
import { inputContentSchema } from './questions/input-field.ts';
import { untrustedTextSchema } from './messages/tool-result.ts';
import { effortSchema } from './settings/sampling.ts';

const id = z.string().describe('ULID chosen by the sender: sending the same id twice has one effect.');
const waitForModelMs = z
  .number()
  .optional()
  .describe(
    'Milliseconds for which the new run retries while the model is not available. Absent: the value of the settings.',
  );

/** A request to a session. It is durable in the inbox, and the holder of the session turns it into events. */
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
        .describe(
          'During a run: `steer` sends it with the next request to the model, `queue` starts a run after this one.',
        ),
      waitForModelMs,
      tainted: z.literal(true).optional().describe('The sending session had read untrusted content.'),
      untrusted: untrustedTextSchema.optional().describe('It contains a text of others.'),
    })
    .describe('Start a run, or steer the active one.'),
  z
    .object({
      type: z.literal('withdraw'),
      id,
      command: z.string().describe('Id of a prompt, or of a command of the user, that is still in the inbox.'),
    })
    .describe('Withdraw what no run has taken yet. A later withdrawal has no effect.'),
  z
    .object({ type: z.literal('resume'), id, onAsk: onAskSchema, waitForModelMs })
    .describe('Continue after a run that ended at a limit, with a failure or by a cancel.'),
  z
    .object({
      type: z.literal('cancel'),
      id,
      run: z.string().optional().describe('The run to cancel. Absent: the active one.'),
      by: z.string().optional().describe('The door that cancels it.'),
      reason: z.string().optional().describe('The reason as one sentence for the log. Absent: the user cancelled it.'),
      outcome: z
        .enum(['done', 'failed'])
        .optional()
        .describe('The door has the result of the run, so no further turn is needed. Absent: `cancelled`.'),
    })
    .describe('Cancel the run.'),
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
      plan: z.string().optional().describe('For a plan: its text as the user edited it. Absent: as it was presented.'),
      mode: modeSchema
        .exclude(['plan'])
        .optional()
        .describe('For a plan: the mode in which the session continues. Absent: `edits` if it is in mode `plan`.'),
      content: inputContentSchema.optional().describe('For a question with fields: their values.'),
    })
    .describe('Answer an approval, completely or by hunk, for one call or for longer.'),
  z
    .object({ type: z.literal('child'), id, child: z.string() })
    .describe('A child session finished a run or was closed. Its log contains the facts.'),
  z
    .object({ type: z.literal('close'), id, reason: z.string() })
    .describe(
      'End the run and close the session. A parent sends it to a child session that it does not need any more.',
    ),
  z.object({ type: z.literal('limits'), id, limits: limitsSchema.partial() }).describe('Set caps of the session.'),
  z
    .object({
      type: z.literal('change'),
      id,
      title: z.string().optional(),
      pinned: z.boolean().optional(),
      archived: z.boolean().optional(),
      model: z.string().optional(),
      fallback: fallbackSchema.optional(),
      mode: modeSchema.optional(),
      effort: effortSchema.optional(),
      onAsk: onAskSchema
        .optional()
        .describe('What the open run does with questions from now on. `deny` also denies those that are open.'),
    })
    .describe('Change title, pin, archive, model, fallback, mode, effort, or what the open run does with questions.'),
  z
    .object({
      type: z.literal('compact'),
      id,
      by: z.string().describe('The door that requests it.'),
      onAsk: onAskSchema.optional().describe('For a session without a run, if a limit is reached. Absent: `deny`.'),
    })
    .describe('Compact the context before the next request to the model. Without a run, in a run of its own.'),
  z
    .object({
      type: z.literal('shell'),
      id,
      command: z.string().describe('As for `sh`. It runs in the sandbox, in the workspace.'),
      by: z.string().describe('The door where the user entered it.'),
      onAsk: onAskSchema.optional().describe('Absent: `deny`.'),
    })
    .describe('Run a command of the user, in a run of its own after the active one. No request to the model is made.'),
  z
    .object({
      type: z.literal('call'),
      id,
      name: z.string().describe('A tool of the engine, whether or not a model may use it.'),
      input: z.record(z.string(), z.json()),
      by: z.string().describe('The door that makes the call for the user.'),
      onAsk: onAskSchema.optional().describe('Absent: `deny`.'),
    })
    .describe('Run one call of a tool, in a run of its own after the active one. No request to the model is made.'),
  z
    .object({
      type: z.literal('revoke'),
      id,
      authorities: z
        .array(authoritySchema)
        .optional()
        .describe('The authorities to revoke; amounts are deducted. Absent: all of them.'),
      by: z.string().describe('The door that revokes them.'),
      reason: z.string().optional(),
    })
    .describe('Revoke authority from the next call on. Running tools are stopped.'),
  z
    .object({
      type: z.literal('scope'),
      id,
      approval: z.string().describe('An approval that was given in this session.'),
      scope: scopeSchema.describe('`once` revokes it.'),
      by: z.string().describe('The door that changes it.'),
    })
    .describe('Change how long a given approval applies. A revocation applies from the next judged call on.'),
  z
    .object({
      type: z.literal('pin'),
      id: z.string().describe('ULID chosen by the sender. It is the id of the pin.'),
      text: z.string(),
      source: z.string().optional().describe('Origin of the text. Absent: the user wrote it.'),
      by: z.string().describe('The door that pins it.'),
    })
    .describe('Keep a text in the context unchanged.'),
  z
    .object({ type: z.literal('unpin'), id, pin: z.string(), by: z.string() })
    .describe('Remove a pin. The next compaction may leave its text out.'),
]);
export type Command = z.infer<typeof commandSchema>;
