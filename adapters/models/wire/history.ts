import type { FilePart, Message } from '@klaus/core/protocol';

export interface HistoryFormat {
  /** A message as JSON text without what surrounds it; empty for one that is left out. */
  convert: (message: Message) => string;
  /** The separator before a message of role `next` when `previous` was the last one written. */
  join: (previous: Message['role'] | undefined, next: Message['role']) => string;
}

export interface HistoryBytes {
  /** A view: what was written stays as it is. */
  bytes: Uint8Array;
  /** Role of the last message written; undefined when none was. */
  last: Message['role'] | undefined;
}

const FIRST_CAPACITY = 16 * 1024;
/** Characters that are written at once. */
const PIECE = 256 * 1024;

/**
 * Writes histories, each message once. Messages are immutable and keep their identity from request to
 * request, so their bytes never change either: that is what keeps the provider's prompt cache warm. A
 * history that continues the one before is that one's bytes with the new messages behind them, so a late
 * turn costs little more than an early one.
 */
export function createHistory({ convert, join }: HistoryFormat): (messages: readonly Message[]) => HistoryBytes {
  let buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  let length = 0;
  let last: Message['role'] | undefined;
  // What is written: the first `count` of a list that its owner only appends to.
  let written: { list: readonly Message[]; count: number } = { list: [], count: 0 };

  /** The same list needs no comparison; another one is compared message by message. */
  function continues(messages: readonly Message[]): boolean {
    const { list, count } = written;
    if (messages.length < count) return false;
    if (messages === list) return true;
    for (let at = 0; at < count; at++) if (messages[at] !== list[at]) return false;
    return true;
  }

  function append(text: string): void {
    const size = Buffer.byteLength(text);
    if (length + size > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, length + size));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    length += buffer.write(text, length);
  }

  return (messages) => {
    if (!continues(messages)) {
      // Another buffer: the bytes of the last history may still be in flight.
      if (length > 0) buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
      length = 0;
      last = undefined;
      written = { list: [], count: 0 };
    }
    let text = '';
    for (let at = written.count; at < messages.length; at++) {
      const message = messages[at]!;
      const fragment = convert(message);
      if (fragment === '') continue;
      text += join(last, message.role) + fragment;
      last = message.role;
      // In large pieces, because the history of a resumed session is long.
      if (text.length < PIECE) continue;
      append(text);
      text = '';
    }
    append(text);
    written = { list: messages, count: messages.length };
    return { bytes: buffer.subarray(0, length), last };
  };
}

/** An attached file as text for the model. */
export function toDocumentText(part: FilePart): string {
  if (part.text === undefined) {
    return `[File ${part.name} (${part.mediaType}, ${part.blob?.size ?? 0} bytes) is attached but is not text.]`;
  }
  return `<document name=${JSON.stringify(part.name)}>\n${part.text}\n</document>`;
}

export const NO_IMAGES = '[An image was left out: this model does not see images.]';
