import type { FilePart, Message } from '@klaus/core/protocol';

export interface HistoryFormat {
  /** A message as JSON text without what surrounds it; empty for one that is left out. */
  convert: (message: Message) => string;
  /** What stands before a message of role `next` when `previous` was the last one written. */
  join: (previous: Message['role'] | undefined, next: Message['role']) => string;
}

export interface HistoryBytes {
  /** Few and mostly large. */
  chunks: readonly Buffer[];
  /** Role of the last message written; undefined when none was. */
  last: Message['role'] | undefined;
}

/** Beyond this many, chunks are put together, so that a body is not copied twice at every turn. */
const MAX_CHUNKS = 64;

/**
 * Writes histories, each message once. Messages are immutable and keep their identity from request to
 * request, so their bytes never change either: that is what keeps the provider's prompt cache warm. A
 * history that continues the one before is that one's bytes with the new messages behind them, so a late
 * turn costs little more than an early one.
 */
export function createHistory({ convert, join }: HistoryFormat): (messages: readonly Message[]) => HistoryBytes {
  const fragments = new WeakMap<Message, Buffer>();
  let before: HistoryBytes & { messages: readonly Message[] } = {
    messages: [],
    chunks: [],
    last: undefined,
  };

  function toFragment(message: Message): Buffer {
    let bytes = fragments.get(message);
    if (!bytes) {
      bytes = Buffer.from(convert(message));
      fragments.set(message, bytes);
    }
    return bytes;
  }

  return (messages) => {
    const continues = before.messages.every((message, at) => message === messages[at]);
    let last = continues ? before.last : undefined;
    const chunks = continues ? [...before.chunks] : [];
    for (let at = continues ? before.messages.length : 0; at < messages.length; at++) {
      const message = messages[at]!;
      const fragment = toFragment(message);
      if (fragment.length === 0) continue;
      chunks.push(Buffer.from(join(last, message.role)), fragment);
      last = message.role;
    }
    // A copy: the caller may go on filling its own list.
    before = { messages: [...messages], chunks: chunks.length > MAX_CHUNKS ? [Buffer.concat(chunks)] : chunks, last };
    return before;
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
