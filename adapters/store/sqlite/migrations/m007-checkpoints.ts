import type { Migration } from './migration.ts';

/** States folded from the log, one a session. Can be dropped at any time. */
export const m007: Migration = {
  name: 'm007-checkpoints',
  apply(database) {
    database.exec(`
CREATE TABLE checkpoints (
  session_id TEXT PRIMARY KEY NOT NULL,
  seq INTEGER NOT NULL,       -- of the last event in it
  hash TEXT NOT NULL,         -- of that event's record
  version TEXT NOT NULL,      -- of the fold that made it
  digest TEXT NOT NULL,       -- SHA-256 of state
  state BLOB NOT NULL         -- as node:v8 serialises it
) STRICT;
`);
  },
};
