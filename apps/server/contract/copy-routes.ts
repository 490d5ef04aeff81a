import { z } from 'zod';
import { defineRoute } from './route.ts';

const copyViewSchema = z.object({
  session: z.string(),
  name: z.string().describe('Last part of its path and its branch.'),
  repository: z.string().describe('Absolute path.'),
  path: z.string().describe('Absolute path.'),
  branch: z.string(),
  base: z.string().describe('The commit from which it started.'),
  target: z.string().nullable().describe('The branch into which it is merged; null: it started at a detached HEAD.'),
  createdAt: z.string().describe('ISO 8601.'),
  isOrphaned: z.boolean().describe('True if the session was deleted.'),
  state: z
    .enum(['clean', 'changed', 'ahead', 'merged', 'gone', 'unreadable', 'unfinished'])
    .describe(
      '`clean` no changes; `changed` uncommitted changes; `ahead` only commits; `merged` the target has its changes; `gone` its folder was deleted; `unreadable` Git cannot read it; `unfinished` it is being created or removed.',
    ),
  ahead: z.int().describe('Commits that the target does not have.'),
  changes: z.int().describe('Files with uncommitted changes.'),
});
export type CopyView = z.infer<typeof copyViewSchema>;

const fileDiffSchema = z.object({
  path: z.string().describe('Relative to the top of the copy, with forward slashes.'),
  change: z.enum(['created', 'modified', 'deleted']),
  added: z.int().describe('Lines; 0 for a binary file.'),
  removed: z.int(),
  diff: z.string().nullable().describe('Unified diff; null: too large, or a file with secrets.'),
  isSecret: z.boolean().describe('True for a file with secrets.'),
});
export type FileDiff = z.infer<typeof fileDiffSchema>;

const sideSchema = z.enum(['target', 'copy']).describe('The branch, or the working copy.');

const conflictSchema = z.object({
  path: z.string(),
  messages: z.array(z.string()).describe('Of Git, such as that one side deleted the file.'),
  hunks: z
    .array(
      z.object({
        line: z.int().describe('First line in the file with both texts, from 1.'),
        target: z.string(),
        base: z.string(),
        copy: z.string(),
        isEditable: z.boolean().describe('False: a secret in it is redacted, so only a side can be taken.'),
      }),
    )
    .describe('Empty for a conflict without lines, and for a file with secrets.'),
  sides: z
    .array(sideSchema)
    .describe('The sides that have a file at this path. Without one, only an edit in the copy solves the conflict.'),
});
export type CopyConflict = z.infer<typeof conflictSchema>;

const saved = z.array(z.string()).describe('Refs of the repository with commits that no branch has.');
const into = z.string().min(1).optional().describe('A local branch. Default: the one from which the copy started.');
const message = z.string().min(1).max(20_000).optional().describe('Of commits. Default: the title of the session.');

const fileSolutionSchema = z.union([
  z.object({
    path: z.string(),
    hunks: z
      .array(z.union([z.enum(['target', 'copy', 'both']), z.object({ text: z.string() })]))
      .describe('For each hunk: the text of one side, those of both, or another text.'),
  }),
  z.object({ path: z.string(), side: sideSchema.describe('The file as this side has it, or deletes it.') }),
]);
export type FileSolution = z.infer<typeof fileSolutionSchema>;

const solutionSchema = z
  .object({
    target: z.string().describe('As reported with the conflicts.'),
    head: z.string().describe('As reported with the conflicts.'),
    steps: z
      .array(
        z.object({
          at: z.string().optional().describe('As reported: the commit that a rebase could not apply.'),
          files: z.array(fileSolutionSchema),
        }),
      )
      .describe('One; a rebase has one for each commit with conflicts.'),
  })
  .describe('Solves reported conflicts. Refused with `copy.blocked` if a commit has changed since.');

const notes = z
  .array(z.string())
  .describe('The rules of Git that the commits do not follow, such as a missing signature, as sentences.');

const mergeMethodSchema = z.enum(['merge', 'squash', 'rebase']);

const mergedSchema = z.discriminatedUnion('done', [
  z.object({
    done: z.literal(true),
    session: z.string(),
    how: z.enum(['merged', 'squashed', 'rebased', 'kept', 'discarded']),
    commit: z.string(),
    into: z.string(),
    submodules: z.array(z.string()).describe('Submodules whose recorded commit changed.'),
    notes,
    saved,
  }),
  z.object({
    done: z.literal(false).describe('Nothing was changed.'),
    session: z.string(),
    into: z.string(),
    target: z.string().describe('Commit of the branch.'),
    head: z.string().describe('Commit of the copy.'),
    at: z.string().optional().describe('The commit that a rebase could not apply.'),
    conflicts: z.array(conflictSchema),
  }),
]);
export type MergeAnswer = z.infer<typeof mergedSchema>;

const copyParams = z.object({ copy: z.string().describe('Session id, a prefix of it, or the name of the copy.') });

const define = <const R extends Omit<Parameters<typeof defineRoute>[2], 'params'>>(
  address: `${'GET' | 'POST'} /api/copies/:copy/${string}`,
  fields: R,
) => defineRoute('copies', address, { params: copyParams, projects: 'checked', ...fields });

export const copyRoutes = {
  copies: defineRoute('copies', 'GET /api/copies', {
    projects: 'checked',
    summary: 'The working copies of sessions with their state.',
    answer: z.object({ copies: z.array(copyViewSchema) }),
  }),
  cleanCopies: defineRoute('copies', 'POST /api/copies/clean', {
    projects: 'checked',
    summary: 'Removes copies that are merged, and those of deleted sessions. Their changes are saved as by a discard.',
    body: z.object({ dryRun: z.boolean().optional() }),
    answer: z.object({ removed: z.array(copyViewSchema.extend({ saved })) }),
  }),
  copyDiff: define('GET /api/copies/:copy/diff', {
    summary: 'The changes of a copy, committed or not, against the commit that it shares with its branch.',
    answer: z.object({ copy: copyViewSchema, base: z.string(), files: z.array(fileDiffSchema) }),
  }),
  mergeCopy: define('POST /api/copies/:copy/merge', {
    summary: 'Brings the changes into a branch and removes the copy. With a conflict, reports its hunks instead.',
    body: z.object({
      method: mergeMethodSchema.default('merge'),
      into,
      message,
      solution: solutionSchema.optional(),
    }),
    answer: mergedSchema,
  }),
  showCopyConflicts: define('POST /api/copies/:copy/conflicts', {
    summary: 'Merges the branch into the copy, so that its files show the conflicts and an agent can solve them.',
    body: z.object({ into, message }),
    answer: z.object({
      session: z.string(),
      path: z.string().describe('Folder of the copy.'),
      files: z.array(z.string()),
      prompt: z.string().describe('For an agent that solves them.'),
    }),
  }),
  keepCopy: define('POST /api/copies/:copy/keep', {
    summary: 'Creates the branch of the copy and removes the copy. After a discard: a branch of what was saved.',
    body: z.object({ message }),
    answer: z.object({ session: z.string(), branch: z.string(), commit: z.string(), notes }),
  }),
  discardCopy: define('POST /api/copies/:copy/discard', {
    summary: 'Removes the copy without merging it. Its changes are saved on private refs of the repository.',
    body: z.object({ force: z.boolean().optional().describe('True: they are not saved. Default false.') }),
    answer: z.object({ session: z.string(), saved }),
  }),
  pullRequest: define('POST /api/copies/:copy/pull-request', {
    summary: 'Commits the uncommitted changes, and writes the texts of a pull request. Pushes nothing.',
    body: z.object({ into, message }),
    answer: z.object({
      session: z.string(),
      path: z.string().describe('The folder from which the branch is pushed.'),
      repository: z.string(),
      branch: z.string(),
      target: z.string().nullable(),
      commit: z.string(),
      title: z.string(),
      body: z.string().describe('Markdown.'),
    }),
  }),
};
