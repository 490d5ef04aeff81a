import { z } from 'zod';
import { defineRoute } from '../route.ts';

const scope = z.enum(['project', 'global']).describe('`global`: for all workspaces.');
const workspace = z.string().optional().describe('A known workspace. Default: the configured one.');

const noteSchema = z.object({
  key: z.string(),
  value: z.string(),
  category: z.string().describe('Notes of `pinned` come first in the context.'),
  scope,
  session: z.string().nullable().describe('The session that wrote it last. Null: a user.'),
  updatedAt: z.number().describe('Unix milliseconds.'),
});
export type NoteView = z.infer<typeof noteSchema>;

export const memoryRoutes = {
  memory: defineRoute('memory', 'GET /api/memory', {
    projects: 'checked',
    summary: 'The notes about a workspace, which are in the context of each new session there.',
    query: z.object({ workspace }),
    answer: z.object({ notes: z.array(noteSchema) }),
  }),
  setNote: defineRoute('memory', 'PUT /api/memory', {
    projects: 'checked',
    summary: 'Creates or replaces a note. Secrets are redacted.',
    query: z.object({ workspace }),
    body: z.object({
      key: z.string().min(1).max(200),
      value: z.string().min(1).max(4_000),
      scope: scope.default('project'),
      category: z.string().max(50).optional().describe('Default: that of the note, else `general`.'),
    }),
    answer: noteSchema,
  }),
  removeNote: defineRoute('memory', 'DELETE /api/memory/:scope/:key', {
    projects: 'checked',
    summary: 'Deletes a note.',
    params: z.object({ scope, key: z.string().describe('Its name.') }),
    query: z.object({ workspace }),
    answer: z.object({ isRemoved: z.boolean() }),
  }),
};
