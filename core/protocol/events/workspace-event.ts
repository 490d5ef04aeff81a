import { z } from 'zod';
import { run, turn } from './event-fields.ts';
import { treeIdSchema } from '../changes/tree-change.ts';

/** Who changed a path during a turn, if it was not certainly the session alone. */
export const otherChangeSchema = z.object({
  path: z.string(),
  by: z
    .enum(['session', 'outside', 'unclear'])
    .describe('`session`: another session; `outside`: written while no command of this session ran.'),
  session: z.string().optional().describe('Id of the other session, if it is known.'),
});
export type OtherChange = z.infer<typeof otherChangeSchema>;

export const workspaceSnapshotted = z
  .object({
    type: z.literal('workspace.snapshotted'),
    ...turn,
    moment: z.enum(['before', 'after']).describe('Before the first effect of the turn, or after its last.'),
    tree: treeIdSchema,
    gitTree: treeIdSchema.optional().describe("The state of git's own data, without objects."),
    uncovered: z.array(z.string()).optional().describe('Paths that could not be read.'),
    known: z
      .array(z.object({ path: z.string(), ids: z.array(z.string()) }))
      .optional()
      .describe(
        'Git object ids by folder of the repository that are new in this snapshot and that no command of the session created.',
      ),
    released: z
      .literal(true)
      .optional()
      .describe('Stored before the process gave the session back, or after its crash. Only in a managed workspace.'),
    hidden: z
      .array(z.string())
      .optional()
      .describe('Files with which Git does not compare its index, because a command said so; at most 200.'),
    unreverted: z
      .array(z.string())
      .optional()
      .describe('Protected places that a command changed and that could not be restored; at most 20.'),
    own: treeIdSchema
      .optional()
      .describe('The state before the turn with the changes of this session alone. Absent: all changes are its own.'),
    gitOwn: treeIdSchema.optional().describe("The same for git's own data."),
    unclear: treeIdSchema
      .optional()
      .describe('`own` with the changes that may be those of others too. Absent: there are none.'),
    others: z
      .array(otherChangeSchema)
      .optional()
      .describe('Paths that others changed during the turn, or may have changed; at most 200.'),
  })
  .describe('A snapshot of the workspace was stored, so that the turn can be undone.');

export const workspaceRestored = z
  .object({
    type: z.literal('workspace.restored'),
    kind: z.enum(['undo', 'redo', 'file', 'review']).describe('`review`: the gate undid changes of a command.'),
    turns: z.array(z.int()).describe('Turns that were undone or redone.'),
    from: treeIdSchema.describe('The state before.'),
    to: treeIdSchema.describe('The state after.'),
    git: z
      .object({ from: treeIdSchema, to: treeIdSchema })
      .optional()
      .describe("The same for git's own data, if it was restored."),
    allGit: z.boolean().optional().describe('True for an undo that included HEAD, refs, index, stash and reflogs.'),
    files: z.int(),
    kept: z
      .array(z.string())
      .describe('Paths that were not restored, because they had changed since or could not be written.'),
    by: z.string().describe('The door that asked for it, or `klaus`.'),
  })
  .describe('Files of the workspace were restored to an earlier state.');

export const workspaceCommitted = z
  .object({
    type: z.literal('workspace.committed'),
    ...run,
    ref: z.string(),
    commit: z.string(),
    gitTree: treeIdSchema.optional().describe("The state of git's own data after it, in a managed workspace."),
    files: z.int().describe('Files that differ from the last commit.'),
    leftOut: z.array(z.string()).describe('Files that were left out because they contain secrets.'),
    large: z.array(z.string()).optional().describe('New files that were left out because they are large or binary.'),
  })
  .describe('The state of the workspace was committed to a private ref.');

export const workingCopyEnded = z
  .object({
    type: z.literal('workingCopy.ended'),
    how: z
      .enum(['merged', 'squashed', 'rebased', 'kept', 'discarded'])
      .describe('`kept`: its branch was created in the repository. `discarded`: no branch has its changes.'),
    commit: z.string().optional().describe('The commit of the repository that contains the changes.'),
  })
  .describe('The working copy of the session was removed. No further run starts in it.');

export const evidenceVerified = z
  .object({
    type: z.literal('evidence.verified'),
    run: z.string().describe('The run whose checks ran again.'),
    by: z.string().describe('The door that asked for it.'),
    tree: treeIdSchema.optional().describe('The workspace when the checks started.'),
    isChanged: z.boolean().optional().describe('The workspace changed since the recorded checks.'),
    checks: z.array(
      z.object({
        call: z.string().describe('The recorded call.'),
        command: z.string(),
        recorded: z.int().nullable().describe('The recorded exit code.'),
        exitCode: z.int().nullable().describe('The new exit code; null also if it did not run.'),
        result: z.enum(['passed', 'failed', 'denied', 'skipped']),
        differs: z.boolean().describe('The result differs from the recorded one.'),
        reason: z.string().optional(),
      }),
    ),
  })
  .describe('A user ran recorded checks again.');
