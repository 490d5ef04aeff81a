import { z } from 'zod';
import { resumeSchema } from '../authority/effect.ts';
import { reviewSchema } from '../authority/review.ts';
import { findingSchema, verdictSchema } from '../authority/verdict.ts';
import { fileChangeSchema } from '../changes/change.ts';
import { toolResultSchema } from '../messages/tool-result.ts';
import { turn } from './event-fields.ts';

const call = {
  ...turn,
  call: z.string().describe('Id of the call, as in the message that contains it.'),
  index: z.int().describe('Position of the call in its message, from 0.'),
  name: z.string().describe('The tool.'),
};

export const gateDecided = z
  .object({
    type: z.literal('gate.decided'),
    ...call,
    attempt: z.int().describe('The attempt that was judged, from 1.'),
    verdict: verdictSchema,
    rule: z.string(),
    reason: z.string(),
    findings: z.array(findingSchema).describe('The verdict of every rule.'),
    reviews: z
      .array(reviewSchema)
      .optional()
      .describe('What the reviewers found about a call that the rules allow, in order. They can only narrow.'),
    callHash: z.string().describe('SHA-256 of tool name and input.'),
    phase: z
      .literal('changes')
      .optional()
      .describe('Present when the changes of a command on its layer were judged, before they are applied.'),
  })
  .describe('The gate judged a call before its effect, or the changes of a command before they are applied.');

export const toolStarted = z
  .object({
    type: z.literal('tool.started'),
    ...call,
    attempt: z.int().describe('From 1; more than 1 after a crash.'),
    resume: resumeSchema,
    changes: z.array(fileChangeSchema).describe('Changes that the call is about to make, where they are known.'),
    diff: z.string().optional().describe('Unified diff of those changes, where the tool knows it.'),
    result: z
      .string()
      .optional()
      .describe('Result for the model once the changes are made, so that a probe after a crash gives the same result.'),
    background: z
      .literal(true)
      .optional()
      .describe('The call starts a background process. The files of that process show whether it did.'),
    fetches: z.string().optional().describe('The address that the call requests without data.'),
    receives: z
      .string()
      .optional()
      .describe(
        'Origin of the content of others that the call can receive. If its process ends before it has a result, or its outcome is unknown, it counts as received.',
      ),
    observed: z
      .literal(true)
      .optional()
      .describe(
        'The agent of another program began the call by itself. The gate judged it only if a decision follows.',
      ),
    layer: z
      .literal(true)
      .optional()
      .describe('Its command changes only a copy of the workspace, from which reviewed changes are applied.'),
    mark: z.string().optional().describe("Time on the workspace's own clock, from which later changes are found."),
  })
  .describe('A call is about to run. The event is durable before the effect begins.');

export const toolWaiting = z
  .object({
    type: z.literal('tool.waiting'),
    ...call,
    children: z.array(z.string()).min(1).describe('Ids of child sessions that have not finished.'),
    any: z.boolean().describe('True: the end of one of them is enough.'),
  })
  .describe(
    'A call waits for child sessions. The session is released, and the call runs again when they have finished.',
  );

export const toolFinished = z
  .object({ type: z.literal('tool.finished'), ...call, ...toolResultSchema.shape })
  .describe('The result of a call.');
