import type { Event } from '@klaus/core/protocol';
import { addBlobReferences, toBlobRefs } from '../log/blob-references.ts';
import type { Database } from '../database.ts';
import { projectApproval } from './project-approval.ts';
import { projectConversation } from './project-conversation.ts';
import { projectSession } from './project-session.ts';
import type { ProjectionOptions } from './projection-options.ts';
import { fromRecord } from '../log/record.ts';

/** Tables that hold nothing but what the events say, children first. */
export const PROJECTION_TABLES = [
  'approvals',
  'token_usage',
  'tool_calls',
  'messages',
  'sessions',
  'projects',
] as const;

const REBUILD_PAGE = 512;

/** Brings the tables up to date with one event. Runs in the transaction that appends it. */
export function project(database: Database, event: Event, options: ProjectionOptions): void {
  projectSession(database, event);
  projectConversation(database, event, options);
  projectApproval(database, event);
  addBlobReferences(database, event.session, toBlobRefs(event));
}

/** Empties the projections and folds the whole log again, in one transaction. Returns the number of events. */
export function rebuildProjections(database: Database, options: ProjectionOptions): number {
  return database.transaction(() => {
    // It names messages by ids that are given anew.
    database.run('DELETE FROM messages_fts');
    for (const table of PROJECTION_TABLES) database.exec(`DELETE FROM ${table}`);
    let count = 0;
    for (let last = 0; ;) {
      const rows = database.all<{ id: number; session_id: string; seq: number; record: string }>(
        'SELECT id, session_id, seq, record FROM events WHERE id > ? ORDER BY id LIMIT ?',
        last,
        REBUILD_PAGE,
      );
      for (const row of rows) {
        const place = `record ${row.seq} of session ${row.session_id}`;
        project(database, fromRecord(row.record, { file: database.file, place }), options);
        last = row.id;
      }
      count += rows.length;
      if (rows.length < REBUILD_PAGE) return count;
    }
  });
}
