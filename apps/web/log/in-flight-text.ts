import type { Event, Live } from '@klaus/core/protocol';
import { createParts, type Parts } from '../markdown/parts.ts';

/** Text that comes in pieces. */
interface PartialText {
  text: string;
  /** Characters that have come, those that were left out included. */
  length: number;
}

/** One message of the model on its way. `call`: the arguments of a call, as they are written. */
export interface PartialMessage extends Record<'text' | 'thinking' | 'call', PartialText> {
  /** The text cut into what is drawn on its own. Grows in place. */
  parts: Parts;
}

/**
 * What is on its way and in no log: keyed by message and call. Every durable event that says the same takes it away,
 * so that nothing of it can outlive the truth.
 */
export interface InFlightText {
  messages: Map<string, PartialMessage>;
  /** Output of running calls. */
  calls: Map<string, PartialText>;
}

/** Characters of a running call's output that are kept: a build that talks for an hour must not fill the page. */
const MAX_PROGRESS = 200_000;

const NOTHING: PartialText = { text: '', length: 0 };

export function createInFlightText(): InFlightText {
  return { messages: new Map(), calls: new Map() };
}

/** Takes one piece in. What is known already is not added again. */
export function addPiece(inFlight: InFlightText, piece: Live): void {
  if (piece.type === 'message.discarded') {
    inFlight.messages.delete(piece.message);
    return;
  }
  if (piece.type === 'tool.progress') {
    const { text, length } = grow(inFlight.calls.get(piece.call) ?? NOTHING, piece);
    inFlight.calls.set(piece.call, { text: text.slice(-MAX_PROGRESS), length });
    return;
  }
  const held = inFlight.messages.get(piece.message) ?? {
    text: NOTHING,
    thinking: NOTHING,
    call: NOTHING,
    parts: createParts(),
  };
  const part = held[piece.part];
  if (piece.part === 'text') held.parts.append(toNewText(part, piece));
  inFlight.messages.set(piece.message, { ...held, [piece.part]: grow(part, piece) });
}

interface Piece {
  offset: number;
  text: string;
}

function grow(held: PartialText, piece: Piece): PartialText {
  return { text: held.text + toNewText(held, piece), length: Math.max(held.length, piece.offset + piece.text.length) };
}

/**
 * What a piece adds to what has come. One that lies behind a gap, as after a lost connection, is set off: the durable
 * event says it whole.
 */
function toNewText({ length }: PartialText, { offset, text }: Piece): string {
  return (offset > length ? ' … ' : '') + text.slice(Math.max(0, length - offset));
}

/** Takes away what a durable event has said. */
export function removeStored(inFlight: InFlightText, event: Event): void {
  if (event.type === 'message.added') inFlight.messages.delete(event.message.id);
  else if (event.type === 'tool.finished') inFlight.calls.delete(event.call);
  // A request is made anew: what an earlier one began to say, before it broke off, will never be said by an event.
  else if (event.type === 'turn.started' || event.type === 'model.requested') inFlight.messages.clear();
  else if (event.type === 'model.attempted' && event.outcome !== 'ok') inFlight.messages.clear();
  else if (event.type === 'run.finished') {
    inFlight.messages.clear();
    inFlight.calls.clear();
  }
}
