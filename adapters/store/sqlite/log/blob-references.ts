import type { BlobRef } from '@klaus/core/protocol';
import type { Database } from '../database.ts';

export function addBlobReferences(database: Database, session: string, blobs: readonly BlobRef[]): void {
  for (const blob of blobs) {
    database.run('INSERT OR IGNORE INTO blob_refs (session_id, hash) VALUES (?, ?)', session, blob.hash);
  }
}
