import type { BlobRef, Event } from '@klaus/core/protocol';
import type { Database } from '../database.ts';

export function addBlobReferences(database: Database, session: string, blobs: readonly BlobRef[]): void {
  for (const blob of blobs) {
    database.run('INSERT OR IGNORE INTO blob_refs (session_id, hash) VALUES (?, ?)', session, blob.hash);
  }
}

export function toBlobRefs(event: Event): BlobRef[] {
  if (event.type === 'tool.finished') return event.blob ? [event.blob] : [];
  if (event.type !== 'message.added') return [];
  return event.message.parts.flatMap((part) => (part.type === 'file' && part.blob ? [part.blob] : []));
}
