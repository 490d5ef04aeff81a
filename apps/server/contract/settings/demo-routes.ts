import { z } from 'zod';
import { defineRoute } from '../route.ts';

export const demoRoutes = {
  startDemo: defineRoute('sessions', 'POST /api/demo', {
    summary: 'Opens the session of `klaus demo`: a scripted model fixes a small project in a temporary folder.',
    status: 202,
    answer: z.object({ session: z.string() }),
  }),
};
