import type { FilePart, Message } from '@klaus/core/protocol';

/**
 * Converts each message once. Messages are immutable and keep their identity from request to request, so
 * the bytes of a message never change either: that is what keeps the provider's prompt cache warm.
 */
export function createFragments(convert: (message: Message) => string): (message: Message) => Buffer {
  const cache = new WeakMap<Message, Buffer>();
  return (message) => {
    let bytes = cache.get(message);
    if (!bytes) {
      bytes = Buffer.from(convert(message));
      cache.set(message, bytes);
    }
    return bytes;
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
