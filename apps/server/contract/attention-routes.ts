import { z } from 'zod';
import { defineRoute } from './route.ts';
import { defineSessionRoute } from './route-fields.ts';

const attentionItemSchema = z.object({
  id: z.string().describe('Id of the approval; else session and seq.'),
  kind: z
    .enum(['call', 'changes', 'plan', 'limit', 'blocked', 'interrupted', 'failed', 'done'])
    .describe(
      'Kind of an open approval; `blocked` this server cannot run the session; `interrupted` no process works on its run; `failed` its run failed; `done` its run finished and was not seen.',
    ),
  session: z.string().describe('The session that the user opened.'),
  child: z.string().nullable().describe('The child session that asks; null: the session itself.'),
  title: z.string().nullable().describe('Its title, else the start of its first prompt.'),
  workspace: z.string().describe('Absolute path.'),
  project: z.string().nullable().describe('First 24 characters of the SHA-256 of the workspace.'),
  agent: z.string().describe('Name of the agent that asks or ended.'),
  seq: z.int().nullable().describe('What `POST …/seen` takes; null for an approval, which an answer removes.'),
  since: z.string().describe('ISO 8601.'),
  line: z.string().describe('What is asked, why it failed, or the last line of the answer.'),
  action: z.enum(['answer', 'resume', 'look']).describe('What the user can do about it.'),
});
export type AttentionItemView = z.infer<typeof attentionItemSchema>;

const alertSchema = z.object({
  id: z.string().describe('For `POST /api/attention/claim`.'),
  kind: z
    .enum(['guard-off', 'guard-missed'])
    .describe('`guard-off` the guard of Claude Code is off; `guard-missed` a session of Claude Code ran without it.'),
  of: z.string().describe('The settings file, or the id of the session. `POST /api/guard/dismiss` takes it.'),
  workspace: z.string().describe('The project, or the folder of the settings.'),
  reason: z.string(),
  since: z.string().describe('ISO 8601.'),
});
export type AlertView = z.infer<typeof alertSchema>;

export const attentionListSchema = z.object({
  alerts: z.array(alertSchema).describe('What concerns no session of Klaus, the oldest first.'),
  items: z.array(attentionItemSchema).describe('The oldest first.'),
  counts: z
    .object({ answer: z.int(), failed: z.int(), done: z.int() })
    .describe('All of them, also those above the limit.'),
});
export type AttentionListView = z.infer<typeof attentionListSchema>;

export const attentionRoutes = {
  attention: defineRoute('sessions', 'GET /api/attention', {
    projects: 'checked',
    summary: 'The sessions that need the user: open approvals, failures, and finished runs that were not seen.',
    query: z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(200) }),
    answer: attentionListSchema,
  }),
  claimNotification: defineRoute('sessions', 'POST /api/attention/claim', {
    projects: 'checked',
    summary: 'Decides which program notifies the user of something: the first one that asks.',
    body: z.object({ item: z.string().min(1).max(200).describe('Id in the list.') }),
    answer: z.object({ claimed: z.boolean().describe('True for the first request with this id only.') }),
  }),
  moveQueued: defineSessionRoute('POST /api/sessions/:id/position', {
    summary: 'Moves a queued session to another position of the queue of runs.',
    body: z.object({ position: z.int().min(1).describe('From 1; a higher one than the last means the last.') }),
    answer: z.object({
      session: z.string(),
      position: z.int().nullable().describe('The new position; null if the session is not queued.'),
    }),
  }),
  markSeen: defineSessionRoute('POST /api/sessions/:id/seen', {
    summary: 'Records that the user has seen the session up to an event.',
    body: z.object({ seq: z.int().min(0).optional().describe('Default: its last event.') }),
    answer: z.object({ session: z.string(), seq: z.int() }),
  }),
};
