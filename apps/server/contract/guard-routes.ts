import { z } from 'zod';
import { defineRoute } from './route.ts';

const workspace = z.string().optional().describe('Absolute real path of the project. Default: all.');
const verdictSchema = z.enum(['allow', 'ask', 'deny']);

const guardDecisionSchema = z.object({
  seq: z.int().describe('Position in the host chain: the ID of `klaus guard explain`.'),
  at: z.number().describe('Unix milliseconds.'),
  workspace: z.string().describe('Absolute real path of the project.'),
  guarded: z.string().describe('Id of the session of Claude Code.'),
  event: z.string().describe('The event of the hook, such as `PreToolUse`.'),
  agent: z.string().nullable().describe('Type of the subagent; null for the main one.'),
  tool: z.string().nullable(),
  text: z.string().describe('The call or message in one line.'),
  verdict: verdictSchema,
  decider: z.string().describe('The reviewer that decided; `late`: one whose denial met a later call; else `gate`.'),
  rule: z.string(),
  reason: z.string(),
  reviews: z
    .array(
      z.object({
        reviewer: z.string(),
        outcome: z.enum(['pass', 'deny']),
        reason: z.string(),
        decidedBy: z.string().describe('`rules`, `model`, or `unavailable`.'),
        usd: z.number().nullable().describe('US dollars; null: no model was asked, or its price is not known.'),
      }),
    )
    .describe('In order. `tool-appeal` with `pass` overturned the denial before it.'),
});
export type GuardDecisionView = z.infer<typeof guardDecisionSchema>;

const guardRatesSchema = z.object({
  calls: z.int().describe('Calls of tools that were decided.'),
  denied: z.int().describe('Of these calls.'),
  asked: z.int().describe('Of these calls: the user was asked.'),
  blocked: z.int().describe('Ends of turns that were blocked.'),
  reviewers: z.array(
    z.object({
      reviewer: z.string(),
      reviews: z.int(),
      denied: z.int(),
      appealed: z.int().describe('Denials about which an appeal was decided.'),
      overturned: z.int().describe('Denials that an appeal overturned.'),
      usd: z.number(),
    }),
  ),
  days: z
    .array(z.object({ day: z.string().describe('UTC.'), calls: z.int(), denied: z.int(), usd: z.number() }))
    .describe('Days with decisions, the oldest first.'),
});
export type GuardRatesView = z.infer<typeof guardRatesSchema>;

const guardStateSchema = z.object({
  of: z.string().describe('The settings file with the hooks; for a missed session, its id.'),
  workspace: z.string().describe('The project, or the folder of the settings.'),
  place: z.enum(['user', 'project', 'managed']).nullable().describe('Whose settings; null for a session.'),
  state: z
    .enum(['on', 'off', 'missed'])
    .describe('`off`: calls are not judged, or all are denied. `missed`: the session ran without the guard.'),
  reason: z.string(),
  since: z.number().describe('Unix milliseconds.'),
  isDismissed: z.boolean().describe('True if the user has seen that it is off.'),
});
export type GuardStateView = z.infer<typeof guardStateSchema>;

export const guardRoutes = {
  guardStates: defineRoute('guard', 'GET /api/guard/states', {
    projects: 'checked',
    summary: 'The installations of the guard with their states, and sessions that ran without it.',
    answer: z.object({ states: z.array(guardStateSchema) }),
  }),
  dismissGuardState: defineRoute('guard', 'POST /api/guard/dismiss', {
    summary: 'Records that the user has seen that the guard is off, or that a session ran without it.',
    role: 'admin',
    body: z.object({ of: z.string().min(1).max(4_096) }),
    answer: z.object({ dismissed: z.boolean().describe('False: there was nothing to dismiss.') }),
  }),
  guardDecisions: defineRoute('guard', 'GET /api/guard/decisions', {
    projects: 'checked',
    summary: 'The decisions of the guard of Claude Code, the newest first.',
    query: z.object({
      before: z.coerce.number().int().min(1).optional().describe('`next` of the previous page.'),
      limit: z.coerce.number().int().min(1).max(500).default(50),
      verdict: verdictSchema.optional(),
      decider: z.string().max(100).optional().describe('As in the answer.'),
      workspace,
    }),
    answer: z.object({
      decisions: z.array(guardDecisionSchema),
      next: z.int().nullable().describe('`before` of the next page; null: there is none. A page can be short.'),
    }),
  }),
  guardRates: defineRoute('guard', 'GET /api/guard/rates', {
    projects: 'checked',
    summary: 'Counts of the decisions of the guard, by reviewer and by day.',
    query: z.object({
      since: z.iso.date().optional().describe('First day (UTC). Default: of the first decision.'),
      workspace,
    }),
    answer: z.object({
      rates: guardRatesSchema,
      workspaces: z.array(z.string()).describe('All projects with decisions that the sender may see.'),
    }),
  }),
};
