import type { Migration } from './migration.ts';

/** The sessions that do not run here, because they run at another place. */
export const m019: Migration = {
  name: 'm019-moves',
  apply: `
CREATE TABLE session_moves (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,          -- leaving, moved, arriving, copy
  place TEXT NOT NULL,
  at INTEGER NOT NULL           -- Unix milliseconds
) STRICT;
`,
};
