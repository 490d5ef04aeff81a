import { z } from 'zod';
import { defineSessionRoute } from './route-fields.ts';

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
};
