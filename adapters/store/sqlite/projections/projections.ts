import type { Event } from '@klaus/core/protocol';
import { PROJECTION_TABLES } from '../../shared/projection-tables.ts';
import { toBlobRefs } from '../../shared/blob-refs.ts';
import { addBlobReferences } from '../log/blob-references.ts';
import type { Database } from '../database.ts';
import { projectApproval } from './project-approval.ts';
import { projectConversation } from './project-conversation.ts';
import { projectSession } from './project-session.ts';
import type { ProjectionOptions } from '../../shared/projection-options.ts';
import { fromEventRow } from '../log/record.ts';

/** Applies one event to the tables. Runs in the transaction that appends it. */
export function project(database: Database, event: Event, options: ProjectionOptions): void {
  projectSession(database, event);
  projectConversation(database, event, options);
  projectApproval(database, event);
  addBlobReferences(database, event.session, toBlobRefs(event));
}

/** Clears the projections and folds the complete log again, in one transaction. Returns the number of events. */
export function rebuildProjections(database: Database, options: ProjectionOptions): number {
  return database.transaction(() => {
    // It refers to message ids, which change.
    database.run('DELETE FROM messages_fts');
    for (const table of PROJECTION_TABLES) database.exec(`DELETE FROM ${table}`);
    let count = 0;
    const sql = 'SELECT id, session_id AS session, seq, record FROM events WHERE id > ?1 ORDER BY id LIMIT ?2';
    type Row = { id: number; session: string; seq: number; record: string };
    for (const row of database.pages<Row>(sql, { key: 'id', after: 0 })) {
      project(database, fromEventRow(database, row), options);
      count += 1;
    }
    // The logs of the sessions do not contain what the user revoked later, unless it was given again after that.
    database.run(
      `DELETE FROM remembered WHERE EXISTS (SELECT 1 FROM host_events
         WHERE type = 'approval.forgotten' AND record ->> '$.approval' = remembered.approval
           AND at >= round(unixepoch(remembered.created_at, 'subsec') * 1000))`,
    );
    return count;
  });
}
