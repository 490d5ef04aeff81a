import { z } from 'zod';
import { authoritySchema, grantSchema } from '../authority/grant.ts';
import { recordedLimitsSchema } from '../settings/limits.ts';
import { turn, usd } from './event-fields.ts';
import { outcomeSchema } from './run-event.ts';
import { usageSchema } from './usage.ts';

const child = {
  child: z.string().describe('Id of the child session.'),
  agent: z.string().describe('Name of its agent.'),
};

/** What a session and its own children used, from its opening. */
const used = {
  usage: usageSchema,
  usd,
  turns: z.int(),
  toolCalls: z.int(),
  minutes: z.number().optional().describe('Minutes in which models worked. Absent in older logs.'),
};

/** How an agent got its authority. */
export const edgeSchema = z
  .enum(['spawn', 'invoke'])
  .describe(
    '`spawn`: the child has a part of the authority that this session may delegate. `invoke`: it is a worker to which the user gave its own authority.',
  );
export type Edge = z.infer<typeof edgeSchema>;

export const escalationSchema = z
  .object({
    chain: z
      .array(z.string())
      .describe(
        'Session ids from the one to which the user gave its authority, the first one or a worker, to the child.',
      ),
    authorities: z.array(authoritySchema),
    expiresAt: z.int().describe('Unix milliseconds.'),
  })
  .describe('Authority that a user approved for one session for a limited time.');
export type Escalation = z.infer<typeof escalationSchema>;

export const childOpened = z
  .object({
    type: z.literal('child.opened'),
    ...turn,
    call: z.string().describe('The call that opened it.'),
    ...child,
    definition: z.string().describe('SHA-256 of the file of its definition.'),
    edge: edgeSchema,
    grant: grantSchema.describe('Its authority. The gate computes it again for every call.'),
    escalation: escalationSchema.optional().describe('What a user approved in addition.'),
    limits: recordedLimitsSchema.describe('The part of the limits of this session that is reserved for it.'),
  })
  .describe(
    'An agent was given a task in a session of its own, and a part of the limits is reserved for it. The event is durable before the child session exists.',
  );

export const childFinished = z
  .object({
    type: z.literal('child.finished'),
    ...child,
    finished: z.string().describe('The run of the child that ended.'),
    outcome: outcomeSchema,
    ...used,
  })
  .describe('A run of a child session ended. The amounts are those of the complete child session.');

export const childClosed = z
  .object({ type: z.literal('child.closed'), ...child, ...used })
  .describe('A child session was closed. The unused part of what was reserved for it returns to this session.');
