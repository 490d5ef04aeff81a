import { z } from 'zod';
import { run, turn } from './event-fields.ts';
import { treeIdSchema } from '../changes/tree-change.ts';

export const workspaceSnapshotted = z
  .object({
    type: z.literal('workspace.snapshotted'),
    ...turn,
    moment: z.enum(['before', 'after']).describe('Before the first effect of the turn, or after its last.'),
    tree: treeIdSchema,
    gitTree: treeIdSchema.optional().describe("The state of git's own data, without objects."),
    uncovered: z.array(z.string()).optional().describe('Paths that could not be taken in.'),
    known: z
      .array(z.object({ path: z.string(), ids: z.array(z.string()) }))
      .optional()
      .describe(
        'Git object ids, by the folder of the repository, that no command of the session made: new to this look.',
      ),
    unreverted: z
      .array(z.string())
      .optional()
      .describe('Protected places that a command changed and that could not be restored; at most 20.'),
  })
  .describe('The state of the workspace was kept, so that the turn can be taken back.');

export const workspaceRestored = z
  .object({
    type: z.literal('workspace.restored'),
    kind: z.enum(['undo', 'redo', 'file', 'review']).describe('`review`: the gate took back what a command changed.'),
    turns: z.array(z.int()).describe('Turns that were taken back or made again.'),
    from: treeIdSchema.describe('The state that was replaced.'),
    to: treeIdSchema.describe('The state that stands now.'),
    git: z
      .object({ from: treeIdSchema, to: treeIdSchema })
      .optional()
      .describe("The same for git's own data, where it was restored."),
    files: z.int(),
    kept: z
      .array(z.string())
      .describe(
        'Paths left as they were, because somebody had changed them meanwhile, or because they could not be restored.',
      ),
    by: z.string().describe('Who asked: a door, or `klaus`.'),
  })
  .describe('Files of the workspace were put back to an earlier state.');

export const workspaceCommitted = z
  .object({
    type: z.literal('workspace.committed'),
    ...run,
    ref: z.string(),
    commit: z.string(),
    files: z.int().describe('Files that differ from the last commit.'),
    leftOut: z.array(z.string()).describe('Files kept out because they hold secrets.'),
    large: z.array(z.string()).optional().describe('New files kept out because they are large or binary.'),
  })
  .describe('The state of the workspace was committed to a private ref.');

export const evidenceVerified = z
  .object({
    type: z.literal('evidence.verified'),
    run: z.string().describe('The run whose checks were run again.'),
    by: z.string().describe('Who asked: a door.'),
    tree: treeIdSchema.optional().describe('The workspace when they began.'),
    isChanged: z.boolean().optional().describe('The workspace differs from what the recorded checks saw.'),
    checks: z.array(
      z.object({
        call: z.string().describe('The recorded call.'),
        command: z.string(),
        recorded: z.int().nullable().describe('The exit code in the record.'),
        exitCode: z.int().nullable().describe('The exit code now; null also where it did not run.'),
        result: z.enum(['passed', 'failed', 'denied', 'skipped']),
        differs: z.boolean().describe('It ended otherwise than in the record.'),
        reason: z.string().optional(),
      }),
    ),
  })
  .describe('Recorded checks ran again, at the word of a user.');
