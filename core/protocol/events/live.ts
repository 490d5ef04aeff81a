import { z } from 'zod';
import type { EventBody } from './event.ts';
import { findOwnWork } from './own-call.ts';

const session = z.string().describe('Id of the session.');
const message = z.string().describe('Id of the message.');
const offset = z.int().min(0).describe('Number of characters before `text`.');

/**
 * In-flight text that doors may show before it is durable, identified by message or call id and offset. It has no `seq`,
 * is in no chain, and is replaced by message.added or tool.finished.
 */
export const liveSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message.delta'),
    session,
    message,
    part: z.enum(['text', 'thinking', 'call']),
    offset: offset.describe('Number of characters of this part before `text`.'),
    text: z.string(),
  }),
  z.object({ type: z.literal('message.discarded'), session, message }),
  z.object({ type: z.literal('tool.progress'), session, call: z.string(), offset, text: z.string() }),
]);

export type Live = z.infer<typeof liveSchema>;

/** True for output of a call, not for progress of what the engine itself does. */
export function isCallOutput(live: Live): live is Extract<Live, { type: 'tool.progress' }> {
  return live.type === 'tool.progress' && findOwnWork(live.call) === undefined;
}

/** A piece with text. */
export type LivePiece = Exclude<Live, { type: 'message.discarded' }>;

/** The texts of two pieces as one; undefined if the second does not continue the first. */
export function joinLive(first: LivePiece, second: LivePiece): LivePiece | undefined {
  const isNext = toLiveKey(first) === toLiveKey(second) && first.offset + first.text.length === second.offset;
  return isNext ? { ...first, text: first.text + second.text } : undefined;
}

/** Pieces of one session with the same key belong to the same text. */
export function toLiveKey(piece: LivePiece): string {
  return piece.type === 'tool.progress' ? `call ${piece.call}` : `${piece.part} ${piece.message}`;
}

/** True if an event of the session makes a piece durable, or says that it never will be. */
export function isReplaced(piece: LivePiece, event: EventBody): boolean {
  switch (event.type) {
    case 'message.added':
      return piece.type === 'message.delta' && piece.message === event.message.id;
    case 'tool.finished':
      return piece.type === 'tool.progress' && piece.call === event.call;
    case 'workspace.snapshotted':
      return piece.type === 'tool.progress' && findOwnWork(piece.call) === 'state';
    case 'turn.started':
    case 'model.requested':
      return piece.type === 'message.delta';
    case 'model.attempted':
      return piece.type === 'message.delta' && event.outcome !== 'ok';
    case 'run.finished':
      return true;
    default:
      return false;
  }
}
