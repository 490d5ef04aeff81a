import { limitsSchema, onAskSchema } from '@klaus/core/protocol';
import { z } from 'zod';
import { defineRoute } from './route.ts';
import { defineSessionRoute, promptFields, sessionParams } from './route-fields.ts';
import { restoredSchema } from './shapes.ts';

const sent = z.object({ session: z.string(), command: z.string().describe('Id of the command in the inbox.') });

export const runRoutes = {
  sendPrompt: defineSessionRoute('POST /api/sessions/:id/prompt', {
    summary: 'Starts a run. During a run, steers it or is queued.',
    body: z.object({ ...promptFields, delivery: z.enum(['steer', 'queue']).optional().describe('Default `steer`.') }),
    status: 202,
    answer: sent,
  }),
  withdraw: defineRoute('sessions', 'DELETE /api/sessions/:id/queue/:command', {
    summary: 'Withdraws a queued message or shell command, unless a run has taken it already.',
    params: sessionParams.extend({ command: z.string().describe('Id of the command in the queue.') }),
    status: 202,
    answer: sent,
  }),
  cancel: defineSessionRoute('POST /api/sessions/:id/cancel', {
    summary: 'Cancels the run, in any process.',
    body: z.object({
      run: z.string().optional().describe('Cancels only this run.'),
      reason: z.string().max(500).optional(),
    }),
    status: 202,
    answer: sent,
  }),
  compact: defineSessionRoute('POST /api/sessions/:id/compact', {
    summary: 'Compacts the context before the next request to the model, or now if no run is active.',
    body: z.object({ onAsk: onAskSchema.optional().describe('Default: as configured, else `wait`.') }),
    status: 202,
    answer: sent,
  }),
  shell: defineSessionRoute('POST /api/sessions/:id/shell', {
    summary:
      'Runs a command of the user in the sandbox, after the active run. The model gets its output with the next prompt.',
    body: z.object({
      command: z.string().min(1).max(100_000).describe('As for `sh`.'),
      onAsk: onAskSchema.optional().describe('Default: as configured, else `wait`.'),
    }),
    status: 202,
    answer: sent,
  }),
  resume: defineSessionRoute('POST /api/sessions/:id/resume', {
    summary: 'Resumes the session after a crash, a limit, a failure or a cancel.',
    body: z.object({
      limits: limitsSchema.partial().optional(),
      onAsk: onAskSchema.optional().describe('Default: as configured, else `wait`.'),
      openRunOnAsk: onAskSchema
        .optional()
        .describe('What a run that has not ended does with questions from now on. `deny` also denies the open ones.'),
      waitForModelMs: promptFields.waitForModelMs,
    }),
    status: 202,
    answer: z.object({ session: z.string() }),
  }),
  retry: defineSessionRoute('POST /api/sessions/:id/retry', {
    summary: 'Repeats the last prompt in a fork with the history before it.',
    body: z.object({ model: z.string().optional() }),
    status: 202,
    answer: z.object({ session: z.string().describe('The fork.'), command: z.string() }),
  }),
  fork: defineSessionRoute('POST /api/sessions/:id/fork', {
    summary: 'Forks a session at an event. With a prompt, starts the first run of the fork.',
    body: z.object({
      at: z.int().min(1).optional().describe('Seq of the last event to copy. Default: the last event.'),
      before: z
        .string()
        .optional()
        .describe('Instead of `at`: id of a message of the user; copies everything before it.'),
      model: z.string().optional(),
      title: z.string().max(200).optional(),
      files: z
        .enum(['now', 'then'])
        .optional()
        .describe('`then`: restores the workspace to that event, except files that others changed. Default `now`.'),
      ...promptFields,
    }),
    status: 202,
    answer: z.object({
      session: z.string(),
      at: z.int(),
      settled: z.array(z.string()).describe('What was open at that event, and how it was closed.'),
      restored: restoredSchema.nullable(),
      command: z.string().nullable(),
    }),
  }),
};
