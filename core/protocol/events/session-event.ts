import { z } from 'zod';
import { grantSchema } from '../authority/grant.ts';
import { limitsSchema } from '../settings/limits.ts';
import { checkpointSchema, modeSchema, sandboxNameSchema } from '../authority/mode.ts';

const forkedSchema = z
  .object({
    session: z.string().describe('The original.'),
    seq: z.int().describe('The last event that was taken over; those up to it have the same seq there.'),
    head: z.string().describe("SHA-256 of the original's record at that seq."),
    root: z.string().describe('The first session of the line: placeholders of secrets are made from its id.'),
    settled: z.int().describe('Events behind them that settle what was open, and say what the fork begins with.'),
  })
  .describe('This session began as a copy of another. What the copied events spent was spent by the original.');

export const sessionOpened = z
  .object({
    type: z.literal('session.opened'),
    workspace: z.string().describe('Absolute real path.'),
    model: z.string().describe('Full model name, `provider/id`.'),
    mode: modeSchema,
    patchApproval: z.boolean().describe('Every file change asks, whatever the mode.'),
    sandbox: sandboxNameSchema,
    checkpoint: checkpointSchema,
    limits: limitsSchema,
    grant: grantSchema,
    system: z.string().describe('The system prompt: fixed for the session, so that the prefix stays byte-stable.'),
    tools: z.array(z.string()).describe('Names of the tools, in the order sent to the model.'),
    deferred: z
      .array(z.string())
      .optional()
      .describe('Names of the tools that are not in the request: `tool_search` finds them, `use_tool` calls them.'),
    parent: z.object({ session: z.string(), call: z.string() }).optional(),
    klaus: z.string().describe('Version of Klaus.'),
    agent: z.string().optional().describe('Name of the agent; absent: the built-in one.'),
    isolate: z
      .boolean()
      .optional()
      .describe('Commands work on a layer; what they changed is reviewed before it is kept.'),
    readable: z
      .array(z.string())
      .optional()
      .describe(
        'Absolute real paths of folders beside the workspace that may be read: the repository around it, those that the user names, and those of the grant.',
      ),
    writable: z
      .array(z.string())
      .optional()
      .describe('Those of `readable` that may be changed too. States of the session hold them beside the workspace.'),
    snapshots: z.boolean().optional().describe('False: nothing is kept for undo.'),
    forked: forkedSchema.optional(),
  })
  .describe('A session exists. What stands here holds over a resume.');

export const sessionChanged = z
  .object({
    type: z.literal('session.changed'),
    title: z.string().optional(),
    summary: z.string().optional(),
    model: z.string().optional(),
    mode: modeSchema.optional(),
    limits: limitsSchema.optional(),
    pinned: z.boolean().optional(),
  })
  .describe('Title, summary, model, mode or limits changed.');

export const sessionClosed = z
  .object({ type: z.literal('session.closed'), reason: z.string() })
  .describe('No more runs begin in this session.');
