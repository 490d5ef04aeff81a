import { eventBodySchema, envelopeSchema, type Event, type Live } from '@klaus/core/protocol';
import { z } from 'zod';
import { attentionListSchema } from './attention-routes.ts';
import { queuedMessageSchema, sessionViewSchema, sessionStatusSchema } from './session-view.ts';

/** In-flight text, identified by message or call id and offset. The event supersedes it. It has no seq. */
export const liveSchema: z.ZodType<Live, Live> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message.delta'),
    session: z.string(),
    message: z.string(),
    part: z.enum(['text', 'thinking', 'call']),
    offset: z.int().describe('Characters of this part before `text`.'),
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
  retryMs: z.int().describe('Reconnect after this time, to the same address, with the last seq.'),
  after: z.int().optional().describe('The last seq of this stream.'),
});
export type Bye = z.infer<typeof byeSchema>;

/**
 * `GET /api/sessions/:id/events`, by the name of the server-sent event. Only `event` has an `id:`, its seq: a client that
 * reconnects with `Last-Event-ID` or `after` receives each event once. `ready` follows the events that were in the log at
 * the start of the stream. Comment lines keep the connection alive.
 */
export const sessionStreamSchema = z.object({
  event: loggedSchema,
  live: liveSchema,
  queue: z.array(queuedMessageSchema).describe('The queued messages and shell commands, after each change.'),
  status: sessionStatusSchema.describe('The status of the session: before `ready`, and whenever it may have changed.'),
  ready: z.object({ seq: z.int() }),
  gone: z.object({ session: z.string() }).describe('The session was deleted; the stream ends.'),
  bye: byeSchema.describe('The server shuts down, or the log cannot be read; the stream ends.'),
});
export type SessionStream = z.infer<typeof sessionStreamSchema>;

/**
 * `GET /api/events`: the list of sessions. `snapshot` comes first and replaces earlier views; then `session` for each
 * changed session, `removed` for each deleted one, `attention` with the sessions that need the user after each change,
 * and `guard` after the snapshot and after each decision of the guard of Claude Code.
 */
export const hostStreamSchema = z.object({
  snapshot: z.object({ sessions: z.array(sessionViewSchema) }),
  session: sessionViewSchema,
  removed: z.object({ session: z.string(), undoUntil: z.number().nullable() }),
  attention: attentionListSchema,
  guard: z.object({ seq: z.int().describe('Seq of its newest event in the host chain; 0 without one.') }),
  bye: byeSchema,
});
export type HostStream = z.infer<typeof hostStreamSchema>;

/** The events of `POST /api/prompt` in the older protocol, by name. */
export const promptStreamSchema = z.record(z.string(), z.unknown());
