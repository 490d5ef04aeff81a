import type { BlobRef, Event } from '@klaus/core/protocol';

/** The blobs that an event refers to. */
export function toBlobRefs(event: Event): BlobRef[] {
  if (event.type === 'tool.finished') return event.blob ? [event.blob] : [];
  if (event.type !== 'message.added') return [];
  return event.message.parts.flatMap((part) => (part.type === 'file' && part.blob ? [part.blob] : []));
}
