import { limitsSchema, modeSchema, partSchema, sandboxNameSchema } from '@klaus/core/protocol';
import { z } from 'zod';
import { problemSchema } from './problem.ts';

/**
 * What a session does, in the order of attention: `needs-you` an approval is open; `running` a process works on it;
 * `queued` it waits for other runs; `interrupted` the process of its run ended, and the run can resume; `failed` the last
 * run did not finish; `done`; `idle` it has not run.
 */
export const sessionStateSchema = z.enum(['needs-you', 'running', 'queued', 'interrupted', 'failed', 'done', 'idle']);
export type SessionState = z.infer<typeof sessionStateSchema>;

export const queuedMessageSchema = z
  .object({
    command: z.string().describe('Id of the command in the inbox.'),
    delivery: z.enum(['steer', 'queue']),
    parts: z.array(partSchema).describe('Empty for a shell command.'),
    shell: z
      .string()
      .optional()
      .describe('Shell command of the user, which runs in the sandbox. Absent for a message.'),
  })
  .describe(
    'A queued message or shell command of the user: `steer` waits for the next request to the model, `queue` for the end of the run.',
  );
export type QueuedMessage = z.infer<typeof queuedMessageSchema>;

/** A session as lists show it. Times are ISO 8601 in UTC. */
export const sessionViewSchema = z.object({
  id: z.string(),
  state: sessionStateSchema,
  title: z.string().nullable(),
  summary: z.string().nullable(),
  firstPrompt: z
    .string()
    .nullable()
    .describe('The start of the first prompt, also of one that waits in the queue; at most 200 characters.'),
  workspace: z.string().describe('Absolute path.'),
  project: z
    .string()
    .optional()
    .describe('The workspace, or the repository of its working copy. Absent from a server without projects.'),
  agent: z.string().describe('Name of its agent; `klaus` for the built-in one.'),
  model: z.string().nullable().describe('Full name, `provider/id`.'),
  mode: modeSchema.nullable(),
  sandbox: sandboxNameSchema.nullable(),
  pinned: z.boolean(),
  archived: z
    .boolean()
    .optional()
    .describe('True: lists leave it out. The next run ends it. Absent from a server without it.'),
  parent: z.string().nullable().describe('The session that opened it.'),
  forkedFrom: z.string().nullable().describe('The session that it is a fork of.'),
  questions: z.int().describe('Number of open approvals, with those of its child sessions.'),
  askedAt: z.string().nullable().describe('When the oldest open approval was requested; null without one.'),
  outcome: z.string().nullable().describe('Of the last run; null during a run.'),
  outcomeReason: z.string().nullable(),
  problem: z.string().nullable().describe('Why this server cannot run it, such as a missing key.'),
  held: z.boolean().describe('True while a process works on it, this server or another one.'),
  position: z.int().nullable().describe('Position in the queue, from 1; null unless `queued`.'),
  turns: z.int(),
  toolCalls: z.int(),
  tokens: z.object({ input: z.int(), output: z.int(), cacheRead: z.int(), cacheWrite: z.int() }),
  usd: z.number().nullable().describe('US dollars; null if a price is unknown.'),
  lastSeq: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type SessionView = z.infer<typeof sessionViewSchema>;

export const sessionStatusSchema = z.object({
  state: sessionStateSchema,
  held: z.boolean().describe('True while a process works on it, this server or another one.'),
  questions: z.int().describe('Number of open approvals, with those of its child sessions.'),
  position: z.int().nullable().describe('Position in the queue, from 1; null unless it is queued.'),
  problem: problemSchema.nullable().describe('Why this server cannot run it.'),
  lastSeq: z.int().describe('Seq of the last event of its log at that time.'),
});
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

export const budgetRowSchema = z.object({
  limit: z.enum(['tokens', 'usd']),
  cap: z.number().describe('0: unlimited.'),
  spent: z.number().nullable(),
  reserved: z.number().nullable(),
  held: z
    .number()
    .nullable()
    .default(0)
    .describe("What requests without the provider's figure may have cost in addition."),
  lent: z.number().nullable(),
  left: z.number().nullable(),
  isEstimated: z
    .boolean()
    .default(false)
    .describe('True if a provider reported no usage, or an impossible one, for a part of what was spent.'),
});

export const pinnedTextSchema = z.object({ id: z.string(), text: z.string(), source: z.string().optional() });

export const sessionDetailSchema = sessionViewSchema.extend({
  limits: limitsSchema,
  budget: z.array(budgetRowSchema),
  contextWindow: z.int().nullable().describe('Tokens; null for an unknown model.'),
  queue: z.array(queuedMessageSchema),
  pins: z.array(pinnedTextSchema),
  workingCopy: z
    .object({
      name: z.string().describe('Names it in the routes of working copies. A fork shares the copy of its original.'),
      branch: z.string(),
      repository: z.string().describe('Absolute path.'),
      ended: z
        .enum(['merged', 'squashed', 'rebased', 'kept', 'discarded'])
        .nullable()
        .describe('Null while the copy exists.'),
    })
    .nullable()
    .optional()
    .describe('The private clone in which it works; null without one. Absent from a server without working copies.'),
});
export type SessionDetail = z.infer<typeof sessionDetailSchema>;
