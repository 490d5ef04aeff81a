import type { Database } from '../database.ts';
import { appendHostRecord } from '../log/host-chain.ts';
import type { Migration } from './migration.ts';

/**
 * The chain of this machine, in addition to those of the sessions. The ends of existing chains are recorded at once, so
 * that a session without a record in it is one whose record was removed.
 */
export const m003: Migration = {
  name: 'm003-host-chain',
  apply(database) {
    database.exec(HOST);
    recordAll(database);
  },
};

const HOST = `
CREATE TABLE host_events (
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL UNIQUE,
  at INTEGER NOT NULL,        -- Unix milliseconds
  type TEXT NOT NULL,
  subject TEXT NOT NULL,      -- the session or workspace that it is about; empty where it is about all
  record TEXT NOT NULL        -- the exact JSON text that the next record's prev is the hash of
) STRICT;
CREATE INDEX idx_host_events_subject ON host_events(type, subject, seq);

CREATE TABLE host_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
`;

function recordAll(database: Database): void {
  const heads = database.all<{ session: string; records: number; head: string }>(
    'SELECT session_id AS session, seq AS records, hash AS head FROM heads WHERE seq > 0 ORDER BY session_id',
  );
  const now = database.get<{ at: number }>(`SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS at`)!.at;
  for (const head of heads) {
    appendHostRecord(database, { body: { type: 'session.anchored', ...head, after: 'm003-host-chain' }, at: now });
  }
}
