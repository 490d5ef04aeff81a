import { limitsSchema, modeSchema, partSchema, sandboxNameSchema } from '@klaus/core/protocol';
import { z } from 'zod';
import { problemSchema } from './problem.ts';

/**
 * Where a session stands, in the order in which a person should look at it: `needs-you` a question is open;
 * `running` a process works on it; `queued` it waits for its turn among the runs; `interrupted` its run has no
 * process any more and can go on; `failed` the last run ended short of done; `done`; `idle` it never ran.
 */
export const sessionStateSchema = z.enum(['needs-you', 'running', 'queued', 'interrupted', 'failed', 'done', 'idle']);
export type SessionState = z.infer<typeof sessionStateSchema>;

export const queuedMessageSchema = z
  .object({
    command: z.string().describe('Id of the command in the inbox.'),
    delivery: z.enum(['steer', 'queue']),
    parts: z.array(partSchema),
  })
  .describe('A message that waits: a steer for the next model call, a queued one for the end of the run.');
export type QueuedMessage = z.infer<typeof queuedMessageSchema>;

/** A session as lists show it. Times are ISO 8601 in UTC. */
export const sessionViewSchema = z.object({
  id: z.string(),
  state: sessionStateSchema,
  title: z.string().nullable(),
  summary: z.string().nullable(),
  firstPrompt: z.string().nullable().describe('Beginning of the first thing the user said, at most 200 characters.'),
  workspace: z.string().describe('Absolute path.'),
  agent: z.string(),
  model: z.string().nullable().describe('Full name, `provider/id`.'),
  mode: modeSchema.nullable(),
  sandbox: sandboxNameSchema.nullable(),
  pinned: z.boolean(),
  parent: z.string().nullable().describe('The session that began it.'),
  forkedFrom: z.string().nullable().describe('The session that it began as a copy of.'),
  questions: z.int().describe('Open questions.'),
  askedAt: z.string().nullable().describe('When the oldest open question was asked; null without one.'),
  outcome: z.string().nullable().describe('Of the last run; null while one is under way.'),
  outcomeReason: z.string().nullable(),
  problem: z.string().nullable().describe('Why this server could not go on with it, such as a missing key.'),
  held: z.boolean().describe('True while a live process works on it, this server or another one.'),
  position: z.int().nullable().describe('Place among the waiting runs, from 1; null unless `queued`.'),
  turns: z.int(),
  toolCalls: z.int(),
  tokens: z.object({ input: z.int(), output: z.int(), cacheRead: z.int(), cacheWrite: z.int() }),
  usd: z.number().nullable().describe('US dollars; null when the price of any part is not known.'),
  lastSeq: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type SessionView = z.infer<typeof sessionViewSchema>;

/** Where a session stands at this moment, for who follows it. */
export const sessionStatusSchema = z.object({
  state: sessionStateSchema,
  held: z.boolean().describe('True while a live process works on it, this server or another one.'),
  questions: z.int().describe('Open questions.'),
  position: z.int().nullable().describe('Place among the waiting runs, from 1; null unless it waits.'),
  problem: problemSchema.nullable().describe('Why this server could not go on with it.'),
  lastSeq: z.int().describe('Seq of the last event that was in its log then.'),
});
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

export const budgetRowSchema = z.object({
  limit: z.enum(['tokens', 'usd']),
  cap: z.number().describe('0: unlimited.'),
  spent: z.number().nullable(),
  reserved: z.number().nullable(),
  lent: z.number().nullable(),
  left: z.number().nullable(),
});

export const pinnedTextSchema = z.object({ id: z.string(), text: z.string(), source: z.string().optional() });

/** One session with what only its own page needs. */
export const sessionDetailSchema = sessionViewSchema.extend({
  limits: limitsSchema,
  budget: z.array(budgetRowSchema),
  contextWindow: z.int().nullable().describe('Tokens; null where the model is not known here.'),
  queue: z.array(queuedMessageSchema),
  pins: z.array(pinnedTextSchema),
});
export type SessionDetail = z.infer<typeof sessionDetailSchema>;
