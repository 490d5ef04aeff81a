import { z } from 'zod';
import { defineRoute } from './route.ts';
import { defineSessionRoute, sessionParams } from './route-fields.ts';
import { pinnedTextSchema } from './session-view.ts';
import { processViewSchema } from './shapes.ts';

export const contextRoutes = {
  pin: defineSessionRoute('POST /api/sessions/:id/pins', {
    summary: 'Pins a text, or the text of an event, in the context.',
    body: z.object({ text: z.string().min(1).optional(), seq: z.int().min(1).optional() }),
    answer: z.object({ pin: z.string(), applied: z.boolean(), pins: z.array(pinnedTextSchema) }),
  }),
  unpin: defineRoute('sessions', 'DELETE /api/sessions/:id/pins/:pin', {
    summary: 'Removes a pin. The next compaction may drop its text.',
    params: sessionParams.extend({ pin: z.string() }),
    answer: z.object({ pin: z.string(), applied: z.boolean(), pins: z.array(pinnedTextSchema) }),
  }),
  processes: defineSessionRoute('GET /api/sessions/:id/processes', {
    summary: 'Background processes of a session.',
    answer: z.object({ processes: z.array(processViewSchema) }),
  }),
  processOutput: defineRoute('sessions', 'GET /api/sessions/:id/processes/:process/output', {
    summary: 'Output of a background process from an offset, with secrets redacted.',
    params: sessionParams.extend({ process: z.string().describe('Such as `p1`.') }),
    query: z.object({ from: z.coerce.number().int().min(0).default(0) }),
    answer: z.object({ text: z.string(), next: z.int().describe('Offset of the next byte.') }),
  }),
  stopProcess: defineRoute('sessions', 'POST /api/sessions/:id/processes/:process/stop', {
    summary: 'Stops a background process.',
    params: sessionParams.extend({ process: z.string() }),
    answer: processViewSchema,
  }),
};
