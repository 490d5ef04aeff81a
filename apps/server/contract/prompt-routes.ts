import { z } from 'zod';
import { defineRoute } from './route.ts';

export const savedPromptSchema = z.object({
  name: z.string().describe('Such as `review:api`; `/review:api` is its command.'),
  description: z.string().nullable(),
  argumentHint: z.string().nullable().describe('What follows the name; null if nothing does.'),
  text: z.string().describe('With `{{placeholders}}`, `$ARGUMENTS` and `$1` to `$9`.'),
  place: z.enum(['project', 'user']),
  isOwn: z.boolean().describe('True if these routes can change it.'),
});
export type SavedPromptView = z.infer<typeof savedPromptSchema>;

const params = z.object({ name: z.string().describe('Letters, digits, `-` and `_`; folders are separated by `:`.') });

export const promptRoutes = {
  prompts: defineRoute('files', 'GET /api/prompts', {
    projects: 'checked',
    summary: 'The saved prompts of the user and of a project, which are commands of the terminal too.',
    query: z.object({
      session: z.string().optional().describe('The workspace of this session.'),
      workspace: z.string().optional().describe('Default: the configured one.'),
    }),
    answer: z.object({ prompts: z.array(savedPromptSchema) }),
  }),
  savePrompt: defineRoute('files', 'PUT /api/prompts/:name', {
    summary: 'Saves a prompt of the user, in the folder `commands` of the state folder.',
    role: 'admin',
    params,
    body: z.object({ description: z.string().max(1_000).optional(), text: z.string().min(1).max(200_000) }),
    answer: z.object({ name: z.string() }),
  }),
  deletePrompt: defineRoute('files', 'DELETE /api/prompts/:name', {
    summary: 'Deletes a saved prompt of the user.',
    role: 'admin',
    params,
    answer: z.object({ name: z.string() }),
  }),
};
