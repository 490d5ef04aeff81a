import { tailOf } from '../protocol/text/cut-text.ts';
import { findOwnWork, toOwnCall, type Event, type Live, type OwnWork } from '@klaus/core/protocol';
import { createParts, type Parts } from './parts.ts';

interface PartialText {
  text: string;
  /** Number of characters received, including dropped ones. */
  length: number;
}

/** One message of the model that is being streamed. `call`: the arguments of a tool call. */
export interface PartialMessage extends Record<'text' | 'thinking' | 'call', PartialText> {
  /** The text split into parts that are rendered separately. Grows in place. */
  parts: Parts;
}

/** In-flight text that is not in the log yet, by message and call. It is removed when the log has the event for it. */
export interface InFlightText {
  messages: Map<string, PartialMessage>;
  calls: Map<string, PartialText>;
  /** Characters after which a part of a message ends, as for `createParts`. */
  minPart?: number;
}

/** Maximum number of characters of a running call's output. Older output is dropped to limit memory. */
const MAX_PROGRESS = 200_000;

const NOTHING: PartialText = { text: '', length: 0 };

export function createInFlightText(minPart?: number): InFlightText {
  return { messages: new Map(), calls: new Map(), minPart };
}

/** Adds a piece. Text that was received before is not added again. */
export function addPiece(inFlight: InFlightText, piece: Live): void {
  if (piece.type === 'message.discarded') {
    inFlight.messages.delete(piece.message);
    return;
  }
  if (piece.type === 'tool.progress') {
    const { text, length } = grow(inFlight.calls.get(piece.call) ?? NOTHING, piece);
    inFlight.calls.set(piece.call, { text: tailOf(text, MAX_PROGRESS), length });
    return;
  }
  const held = inFlight.messages.get(piece.message) ?? {
    text: NOTHING,
    thinking: NOTHING,
    call: NOTHING,
    parts: createParts(inFlight.minPart),
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

/** The new text in a piece. A gap, such as after a lost connection, is marked by an ellipsis until the log has the text. */
function toNewText({ length }: PartialText, { offset, text }: Piece): string {
  return (offset > length ? ' … ' : '') + text.slice(Math.max(0, length - offset));
}

/** What the engine itself does at this moment, with its progress, if it takes long. */
export function findOwnProgress({ calls }: InFlightText): { work: OwnWork; text: string } | undefined {
  for (const [call, { text }] of calls) {
    const work = findOwnWork(call);
    if (work) return { work, text: text.trimEnd().split('\n').at(-1)! };
  }
  return undefined;
}

/** Removes text that the log has stored, or that will never be stored. */
export function removeStored(inFlight: InFlightText, event: Event): void {
  if (event.type === 'message.added') inFlight.messages.delete(event.message.id);
  else if (event.type === 'tool.finished') inFlight.calls.delete(event.call);
  else if (event.type === 'workspace.snapshotted') inFlight.calls.delete(toOwnCall('state', event.run));
  // A new request replaces a failed one, whose partial message is never stored.
  else if (event.type === 'turn.started' || event.type === 'model.requested') inFlight.messages.clear();
  else if (event.type === 'model.attempted' && event.outcome !== 'ok') inFlight.messages.clear();
  else if (event.type === 'run.finished') {
    inFlight.messages.clear();
    inFlight.calls.clear();
  }
}
