import type { Event, Live } from '@klaus/core/protocol';
import { createParts, type Parts } from '../markdown/parts.ts';

/** Text that comes in pieces. */
interface Growing {
  text: string;
  /** Characters that have come, those that were left out included. */
  length: number;
}

/** One message of the model on its way. `call`: the arguments of a call, as they are written. */
export interface Streaming extends Record<'text' | 'thinking' | 'call', Growing> {
  /** The text cut into what is drawn on its own. Grows in place. */
  parts: Parts;
}

/**
 * What is on its way and in no log: keyed by message and call. Every durable event that says the same takes it away,
 * so that nothing of it can outlive the truth.
 */
export interface LiveText {
  messages: Map<string, Streaming>;
  /** Output of running calls. */
  calls: Map<string, Growing>;
}

/** Characters of a running call's output that are kept: a build that talks for an hour must not fill the page. */
const MAX_PROGRESS = 200_000;

const NOTHING: Growing = { text: '', length: 0 };

export function createLive(): LiveText {
  return { messages: new Map(), calls: new Map() };
}

/** Takes one piece in. What is known already is not added again. */
export function takeLive(live: LiveText, piece: Live): void {
  if (piece.type === 'message.discarded') {
    live.messages.delete(piece.message);
    return;
  }
  if (piece.type === 'tool.progress') {
    const { text, length } = grow(live.calls.get(piece.call) ?? NOTHING, piece);
    live.calls.set(piece.call, { text: text.slice(-MAX_PROGRESS), length });
    return;
  }
  const held = live.messages.get(piece.message) ?? {
    text: NOTHING,
    thinking: NOTHING,
    call: NOTHING,
    parts: createParts(),
  };
  const part = held[piece.part];
  if (piece.part === 'text') held.parts.append(toFresh(part, piece));
  live.messages.set(piece.message, { ...held, [piece.part]: grow(part, piece) });
}

interface Piece {
  offset: number;
  text: string;
}

function grow(held: Growing, piece: Piece): Growing {
  return { text: held.text + toFresh(held, piece), length: Math.max(held.length, piece.offset + piece.text.length) };
}

/**
 * What a piece adds to what has come. One that lies behind a gap, as after a lost connection, is set off: the durable
 * event says it whole.
 */
function toFresh({ length }: Growing, { offset, text }: Piece): string {
  return (offset > length ? ' … ' : '') + text.slice(Math.max(0, length - offset));
}

/** Takes away what a durable event has said. */
export function settleLive(live: LiveText, event: Event): void {
  if (event.type === 'message.added') live.messages.delete(event.message.id);
  else if (event.type === 'tool.finished') live.calls.delete(event.call);
  // A request is made anew: what an earlier one began to say, before it broke off, will never be said by an event.
  else if (event.type === 'turn.started' || event.type === 'model.requested') live.messages.clear();
  else if (event.type === 'model.attempted' && event.outcome !== 'ok') live.messages.clear();
  else if (event.type === 'run.finished') {
    live.messages.clear();
    live.calls.clear();
  }
}
