import { z } from 'zod';
import { defineRoute } from './route.ts';
import { workspaceQuery } from './route-fields.ts';

/** Content of files as the page shows it. */
export const contentRoutes = {
  shownFile: defineRoute('files', 'GET /api/shown-files/*', {
    projects: 'checked',
    summary: 'An image or a PDF document of a workspace, recognised by its content, at most 10 MB. Others are 415.',
    kind: 'bytes',
    media: ['image/*', 'application/pdf'],
    params: z.object({ path: z.string() }),
    query: z.object({
      ...workspaceQuery,
      turn: z.coerce
        .number()
        .int()
        .min(0)
        .optional()
        .describe('With `side`: of the changes of this turn. Default: all.'),
      approval: z
        .string()
        .optional()
        .describe('With `side`: of the changes that this question of the session is about, instead of a turn.'),
      side: z.enum(['before', 'after']).optional().describe('The file before or after the changes of the session.'),
    }),
    answer: z.string(),
  }),
  existingFiles: defineRoute('files', 'GET /api/existing-files', {
    projects: 'checked',
    summary: 'Which of some paths are files of a workspace.',
    query: z.object({
      ...workspaceQuery,
      paths: z.string().max(16_000).describe('One path a line, at most 100.'),
    }),
    answer: z.object({
      files: z.array(
        z.object({ given: z.string(), path: z.string().describe('Relative to the workspace, with forward slashes.') }),
      ),
    }),
  }),
};
