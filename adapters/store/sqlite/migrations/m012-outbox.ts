import type { Migration } from './migration.ts';

/** Messages for another program that were not taken yet. Each is written with the event that it tells. */
export const m012: Migration = {
  name: 'm012-outbox',
  apply(database) {
    database.exec(`
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,             -- of the event
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,      -- Unix milliseconds
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL,          -- Unix milliseconds before which it is not tried again
  UNIQUE (session_id, seq)
) STRICT;
`);
  },
};
