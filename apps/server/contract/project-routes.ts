import { z } from 'zod';
import { problemSchema } from './problem.ts';
import { defineRoute } from './route.ts';

/** A folder in which sessions work, or that was added as a project. */
export const projectViewSchema = z.object({
  path: z.string().describe('Absolute path. Sessions in a working copy count for its repository.'),
  exists: z.boolean(),
  sessions: z.int().describe('Without child sessions and archived ones.'),
  running: z.int(),
  needsYou: z.int().describe('Sessions with an open approval.'),
  usd: z.number().nullable().describe('Cost of all its sessions, also archived ones; null if a price is unknown.'),
  updatedAt: z.string().nullable().describe('Latest activity, ISO 8601; null without sessions.'),
  isDefault: z.boolean().describe('The configured workspace.'),
  isRemovable: z.boolean().describe('True: it is only in the list because it was added.'),
});
export type ProjectView = z.infer<typeof projectViewSchema>;

export const cloneViewSchema = z.object({
  id: z.string(),
  path: z.string().describe('Absolute path of the new folder. It exists when the clone is complete.'),
  source: z.string().describe('Address or path of the repository, without credentials.'),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  phase: z.string().nullable().describe('What Git does, such as `Receiving objects`.'),
  percent: z.number().nullable().describe('Of the phase; null if it is unknown.'),
  problem: problemSchema.nullable().describe('Why it failed.'),
});
export type CloneView = z.infer<typeof cloneViewSchema>;

export const folderViewSchema = z.object({
  path: z.string().describe('Real absolute path.'),
  parent: z.string().nullable().describe('Null: there is none, or the client may not see it.'),
  state: z
    .enum(['allowed', 'outside', 'refused'])
    .describe('`outside`: no workspace of the server. `refused`: never one, such as the home folder.'),
  canAllow: z.boolean().describe('True if the client may allow a folder that is `outside`.'),
  folders: z.array(z.object({ name: z.string(), isRepository: z.boolean() })).describe('Without hidden ones.'),
  isPart: z.boolean().describe('True if there are more folders.'),
});
export type FolderView = z.infer<typeof folderViewSchema>;

const allow = z
  .boolean()
  .optional()
  .describe(
    'True allows sessions in the folder, if it is no workspace yet. Only for the user who runs the server, on its machine, without a proxy, and if `server.workspaces` is empty. Default false.',
  );

const cloneParams = z.object({ id: z.string() });

export const projectRoutes = {
  projects: defineRoute('projects', 'GET /api/projects', {
    projects: 'checked',
    summary: 'The folders in which sessions worked, and those that were added; the latest first.',
    answer: z.object({ projects: z.array(projectViewSchema) }),
  }),
  folders: defineRoute('projects', 'GET /api/folders', {
    projects: 'checked',
    role: 'operator',
    summary: 'The folders in a folder, for the choice of a project.',
    query: z.object({
      path: z.string().min(1).max(4_096).optional().describe('Absolute. Default: near the default workspace.'),
    }),
    answer: folderViewSchema,
  }),
  addProject: defineRoute('projects', 'POST /api/projects', {
    projects: 'checked',
    summary: 'Adds a folder as a project, and creates it if it does not exist.',
    body: z.object({
      path: z.string().min(1).max(4_096).describe('Absolute path in an allowed workspace.'),
      create: z.boolean().optional().describe('Create a missing folder. Default false.'),
      allow,
    }),
    answer: z.object({ path: z.string().describe('The real path.'), created: z.boolean() }),
  }),
  forgetProject: defineRoute('projects', 'DELETE /api/projects', {
    projects: 'checked',
    summary: 'Removes an added folder from the list. Its files stay, and a folder with sessions stays in the list.',
    query: z.object({ path: z.string() }),
    answer: z.object({
      path: z.string(),
      wasAllowed: z.boolean().describe('True if it was allowed only by a request with `allow`, which ends.'),
    }),
  }),
  clones: defineRoute('projects', 'GET /api/clones', {
    projects: 'checked',
    summary: 'Clones in progress, and the latest ended ones.',
    answer: z.object({ clones: z.array(cloneViewSchema) }),
  }),
  startClone: defineRoute('projects', 'POST /api/clones', {
    projects: 'checked',
    summary: 'Clones a Git repository into a new folder of an allowed workspace.',
    body: z.object({
      url: z
        .string()
        .max(2_000)
        .describe('`https://…`, `ssh://…`, `USER@HOST:PATH`, or the path of a repository in an allowed workspace.'),
      parent: z.string().min(1).max(4_096).describe('Absolute path of an existing folder.'),
      name: z.string().min(1).max(200).optional().describe('Name of the new folder. Default: from the address.'),
      allow,
    }),
    status: 202,
    answer: cloneViewSchema,
  }),
  clone: defineRoute('projects', 'GET /api/clones/:id', {
    projects: 'checked',
    summary: 'The state of a clone.',
    params: cloneParams,
    answer: cloneViewSchema,
  }),
  cancelClone: defineRoute('projects', 'DELETE /api/clones/:id', {
    projects: 'checked',
    summary: 'Cancels a clone. Nothing of it stays.',
    params: cloneParams,
    answer: cloneViewSchema,
  }),
};
