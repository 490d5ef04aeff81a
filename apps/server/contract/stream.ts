import { eventBodySchema, envelopeSchema, type Event, type Live } from '@klaus/core/protocol';
import { z } from 'zod';
import { queuedMessageSchema, sessionViewSchema, sessionStatusSchema } from './session-view.ts';

/** Text on its way: keyed by message or call id and offset, superseded by the event. Never has a seq. */
export const liveSchema: z.ZodType<Live, Live> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message.delta'),
    session: z.string(),
    message: z.string(),
    part: z.enum(['text', 'thinking', 'call']),
    offset: z.int().describe('Characters of this part that came before.'),
    text: z.string(),
  }),
  z.object({ type: z.literal('message.discarded'), session: z.string(), message: z.string() }),
  z.object({
    type: z.literal('tool.progress'),
    session: z.string(),
    call: z.string(),
    offset: z.int(),
    text: z.string(),
  }),
]);

export const loggedSchema: z.ZodType<Event> = z.intersection(envelopeSchema, eventBodySchema);

export const byeSchema = z.object({
  reason: z.string(),
  retryMs: z.int().describe('Come again after this time, to the same address, with the last seq.'),
  after: z.int().optional().describe('The last seq that this stream sent.'),
});
export type Bye = z.infer<typeof byeSchema>;

/**
 * `GET /api/sessions/:id/events`, by the name of the server-sent event. `event` alone has an `id:`, its seq: a client
 * that comes again with `Last-Event-ID`, or `after`, misses nothing and sees nothing twice. After `ready` everything
 * that was in the log at the beginning has been sent. Comment lines keep the connection alive.
 */
export const sessionStreamSchema = z.object({
  event: loggedSchema,
  live: liveSchema,
  queue: z.array(queuedMessageSchema).describe('The messages that wait, whenever that changes.'),
  status: sessionStatusSchema.describe('Where the session stands: before `ready`, and whenever that may have changed.'),
  ready: z.object({ seq: z.int() }),
  gone: z.object({ session: z.string() }).describe('The session was deleted; the stream ends.'),
  bye: byeSchema.describe('The server is going down, or the log cannot be read further; the stream ends.'),
});
export type SessionStream = z.infer<typeof sessionStreamSchema>;

/**
 * `GET /api/events`: the list, the attention queue and the runs. `snapshot` comes first and replaces all that is
 * known; then `session` for each one that changed, `removed` for each that is gone.
 */
export const hostStreamSchema = z.object({
  snapshot: z.object({ sessions: z.array(sessionViewSchema) }),
  session: sessionViewSchema,
  removed: z.object({ session: z.string(), undoUntil: z.number().nullable() }),
  bye: byeSchema,
});
export type HostStream = z.infer<typeof hostStreamSchema>;

/** The names of the events of `POST /api/prompt`, as seed clients know them. */
export const promptStreamSchema = z.record(z.string(), z.unknown());
