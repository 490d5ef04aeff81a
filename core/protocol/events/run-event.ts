import { z } from 'zod';
import { onAskSchema } from '../authority/mode.ts';
import { treeIdSchema } from '../changes/tree-change.ts';
import { limitName, run, usd } from './event-fields.ts';
import { claimSchema, claimStatusSchema, evidenceSchema } from './evidence.ts';
import { estimated, held } from './model-event.ts';
import { usageSchema } from './usage.ts';

export const runStarted = z
  .object({
    type: z.literal('run.started'),
    ...run,
    trigger: z
      .enum(['prompt', 'resume', 'compact', 'shell'])
      .describe('`compact`: the run only compacts the context. `shell`: it only runs a command of the user.'),
    by: z.string().optional().describe('For `shell`: the door where the user entered the command.'),
    onAsk: onAskSchema,
    waitForModelMs: z
      .number()
      .optional()
      .describe('Milliseconds for which failed requests are retried while the model is not available.'),
  })
  .describe('A run started. It lasts from a prompt until the model ends its turn or the run is stopped.');

export const outcomeSchema = z.enum(['done', 'failed', 'model_failed', 'limit', 'denied', 'cancelled']);
export type Outcome = z.infer<typeof outcomeSchema>;

export const runFinished = z
  .object({
    type: z.literal('run.finished'),
    ...run,
    outcome: outcomeSchema,
    reason: z.string().describe('One sentence for the user.'),
    usage: usageSchema,
    usd,
    held,
    estimated,
    turns: z.int(),
    toolCalls: z.int(),
    evidence: z.array(evidenceSchema).describe('The checks of the run, in order.'),
    tree: treeIdSchema.optional().describe('The workspace at the end of the run, with which the checks were compared.'),
    claim: claimStatusSchema.optional().describe('The worst status of `claims`.'),
    claims: z.array(claimSchema).optional().describe('Absent: the model claimed no success.'),
    error: z
      .object({ code: z.string().describe('One of `ERROR_CODES`.'), hint: z.string() })
      .optional()
      .describe('The error of Klaus that ended the run, with what the user can do.'),
    by: z
      .string()
      .optional()
      .describe('The door that stopped the run, as in `approval.answered`. Absent: the run was not stopped.'),
    limit: z
      .object({ limit: limitName, used: z.number(), cap: z.number(), offer: z.number() })
      .optional()
      .describe('The limit that ended the run, with a cap that would let it continue.'),
  })
  .describe('A run ended. `done` is the only success.');

export const usageCounted = z
  .object({
    type: z.literal('usage.counted'),
    ...run,
    limit: limitName,
    percent: z.number(),
    used: z.number(),
    cap: z.number(),
    cost: usd,
  })
  .describe('Usage passed 80 % of a limit.');
