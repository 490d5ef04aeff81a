import type { Database } from '../database.ts';
import type { Migration } from './migration.ts';

/**
 * What needs the user: the end of the last run of each session that the user opened, how far each was seen, and which
 * notifications were shown. What ended before counts as seen.
 */
export const m015: Migration = {
  name: 'm015-attention',
  apply(database) {
    database.exec(TABLES);
    fillEnds(database);
    markAllSeen(database);
  },
};

const TABLES = `
CREATE TABLE attention_seen (
  session_id TEXT PRIMARY KEY NOT NULL,
  seq INTEGER NOT NULL,         -- every event up to this one was shown
  at INTEGER NOT NULL           -- Unix milliseconds
) STRICT, WITHOUT ROWID;

CREATE TABLE notification_claims (
  item TEXT PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL           -- Unix milliseconds
) STRICT, WITHOUT ROWID;

-- Seq of the end of the last run, of a session that the user opened; null during a run.
ALTER TABLE sessions ADD COLUMN ended_seq INTEGER;
CREATE INDEX idx_sessions_ended ON sessions(id, ended_seq, outcome) WHERE ended_seq IS NOT NULL;
CREATE INDEX idx_sessions_running ON sessions(id) WHERE status = 'running';
`;

/** The same as the projection computes. The search for the event starts at the end of the log. */
function fillEnds(database: Database): void {
  database.run(`UPDATE sessions SET ended_seq = (
      SELECT seq FROM events WHERE session_id = sessions.id AND type = 'run.finished' AND seq > coalesce(
        (SELECT json_extract(record, '$.forked.seq') FROM events WHERE session_id = sessions.id AND seq = 1), 0)
      ORDER BY seq DESC LIMIT 1)
    WHERE outcome IS NOT NULL AND (parent_id IS NULL OR EXISTS (SELECT 1 FROM events
      WHERE session_id = sessions.id AND seq = 1 AND json_extract(record, '$.forked.seq') > 0))`);
}

/** Marks all ends of runs as seen. */
export function markAllSeen(database: Database): void {
  database.run(`INSERT INTO attention_seen (session_id, seq, at)
    SELECT id, ended_seq, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM sessions WHERE ended_seq IS NOT NULL`);
}
