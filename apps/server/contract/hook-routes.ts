import { z } from 'zod';
import { defineRoute } from './route.ts';

export const hookRoutes = {
  claudeCodeHook: defineRoute('hooks', 'POST /api/hooks/claude-code', {
    summary:
      'Judges an event of a hook of Claude Code. Only over the Unix socket. Header `klaus-project`: `CLAUDE_PROJECT_DIR`; header `klaus-version`: version of the installed hook, another one than that of the server is refused.',
    role: 'admin',
    body: z.looseObject({ hook_event_name: z.string() }).describe('The standard input of the hook.'),
    answer: z.looseObject({}).describe('The standard output of the hook. An empty object: no objection.'),
  }),
};
