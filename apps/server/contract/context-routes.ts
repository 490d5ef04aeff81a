import { z } from 'zod';
import { defineRoute } from './route.ts';
import { sessionParams } from './route-fields.ts';
import { pinnedTextSchema } from './session-view.ts';
import { processViewSchema } from './shapes.ts';

const tag = 'sessions';

export const contextRoutes = {
  pin: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/pins',
    summary: 'Pins a text, or the text of an event, in the context.',
    tag,
    params: sessionParams,
    body: z.object({ text: z.string().min(1).optional(), seq: z.int().min(1).optional() }),
    answer: z.object({ pin: z.string(), applied: z.boolean(), pins: z.array(pinnedTextSchema) }),
  }),
  unpin: defineRoute({
    method: 'DELETE',
    path: '/api/sessions/:id/pins/:pin',
    summary: 'Removes a pin. The next compaction may drop its text.',
    tag,
    params: sessionParams.extend({ pin: z.string() }),
    answer: z.object({ pin: z.string(), applied: z.boolean(), pins: z.array(pinnedTextSchema) }),
  }),
  processes: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/processes',
    summary: 'Background processes of a session.',
    tag,
    params: sessionParams,
    answer: z.object({ processes: z.array(processViewSchema) }),
  }),
  processOutput: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/processes/:process/output',
    summary: 'Output of a background process from an offset, with secrets redacted.',
    tag,
    params: sessionParams.extend({ process: z.string().describe('Such as `p1`.') }),
    query: z.object({ from: z.coerce.number().int().min(0).default(0) }),
    answer: z.object({ text: z.string(), next: z.int().describe('Offset of the next byte.') }),
  }),
  stopProcess: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/processes/:process/stop',
    summary: 'Stops a background process.',
    tag,
    params: sessionParams.extend({ process: z.string() }),
    answer: processViewSchema,
  }),
};
