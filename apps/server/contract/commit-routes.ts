import { z } from 'zod';
import { defineRoute } from './route.ts';
import { defineSessionRoute, workspaceQuery } from './route-fields.ts';

const sent = z.object({
  session: z.string(),
  command: z.string().describe('Id of the command in the inbox.'),
  after: z.int().describe('Seq of the last event before it. The call and its result follow.'),
});

const repositorySchema = z.object({
  branch: z.string().nullable().describe('Null for a detached HEAD.'),
  writable: z.boolean().describe('False: its Git data is outside of the folder, where tools cannot write.'),
  remote: z
    .object({
      name: z.string(),
      url: z.string().describe('Without a user.'),
      compare: z.string().nullable().describe('A page that opens a pull request for the branch; null: not known.'),
    })
    .nullable(),
});
export type RepositoryView = z.infer<typeof repositorySchema>;

const gitTextSchema = z.object({
  text: z.string().nullable().describe('With secrets redacted. Null: it is too long.'),
  size: z.int().describe('Characters of the complete text, or of its first 4 MiB.'),
  files: z.array(z.string()).describe('Changed files, relative to the workspace.'),
  leftOut: z
    .array(z.string())
    .describe('Changed files that are not in the text: they are secret, or the policy denies reading them.'),
});
export type GitTextView = z.infer<typeof gitTextSchema>;

const commitSchema = z.object({
  hash: z.string(),
  subject: z.string(),
  author: z.string(),
  at: z.string().describe('ISO 8601.'),
});
export type CommitView = z.infer<typeof commitSchema>;

export const commitRoutes = {
  repository: defineSessionRoute('GET /api/sessions/:id/repository', {
    summary: 'The Git repository of the folder of a session, read without running Git.',
    answer: z.object({ repository: repositorySchema.nullable().describe('Null: there is none.') }),
  }),
  createBranch: defineSessionRoute('POST /api/sessions/:id/branch', {
    summary: 'Creates a branch and switches to it, as a call of the user through the gate, after the active run.',
    body: z.object({ name: z.string().min(1).max(200) }),
    status: 202,
    answer: sent,
  }),
  commit: defineSessionRoute('POST /api/sessions/:id/commit', {
    summary:
      'Commits files, as a call of the user through the gate, after the active run. Hooks run; secrets block it.',
    body: z.object({
      message: z.string().min(1).max(20_000),
      paths: z.array(z.string().min(1)).min(1).max(5_000).describe('Relative to the folder; also of deleted files.'),
    }),
    status: 202,
    answer: sent,
  }),
  push: defineSessionRoute('POST /api/sessions/:id/push', {
    summary:
      'Pushes a branch to a remote, as a call of the user through the gate, after the active run. Git uses the credentials of the user who runs the server. Nothing is overwritten, and no upstream is set.',
    body: z.object({
      remote: z.string().min(1).max(200).describe('The name of a remote of the repository.'),
      branch: z.string().min(1).max(200),
    }),
    status: 202,
    answer: sent,
  }),
  // What a message can have attached. Git runs in the sandbox for it, so these are for those who send messages.
  gitDiff: defineRoute('files', 'GET /api/git/diff', {
    projects: 'checked',
    summary: 'The changes of a workspace that are not committed, as a diff.',
    role: 'operator',
    query: z.object({
      ...workspaceQuery,
      staged: z.stringbool().default(false).describe('Only those in the index. Default: all, with new files.'),
    }),
    answer: z.object({ diff: gitTextSchema.nullable().describe('Null: the workspace has no Git repository.') }),
  }),
  gitCommits: defineRoute('files', 'GET /api/git/commits', {
    projects: 'checked',
    summary: 'The latest commits of a workspace, the newest first.',
    role: 'operator',
    query: z.object({ ...workspaceQuery, limit: z.coerce.number().int().min(1).max(500).default(100) }),
    answer: z.object({
      commits: z.array(commitSchema).nullable().describe('Null: the workspace has no Git repository.'),
    }),
  }),
  gitCommit: defineRoute('files', 'GET /api/git/commits/:hash', {
    projects: 'checked',
    summary: 'The message and the diff of a commit.',
    role: 'operator',
    params: z.object({ hash: z.string().regex(/^[0-9a-f]{4,64}$/) }),
    query: z.object(workspaceQuery),
    answer: z.object({ commit: gitTextSchema.nullable().describe('Null: the workspace has no Git repository.') }),
  }),
  hostAccess: defineSessionRoute('GET /api/sessions/:id/host-access', {
    summary: 'Whether the grant of a session allows it to reach a host. Without it, a call needs an approval.',
    query: z.object({
      host: z.string().min(1).max(253),
      port: z.coerce.number().int().min(1).max(65_535).default(443),
    }),
    answer: z.object({ allowed: z.boolean() }),
  }),
};
