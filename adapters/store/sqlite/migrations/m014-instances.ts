import type { Migration } from './migration.ts';

/** Terminals and scripts, each with its current session. Source of truth, not a projection: no log contains them. */
export const m014: Migration = {
  name: 'm014-instances',
  apply: `
CREATE TABLE instances (
  id TEXT PRIMARY KEY NOT NULL,     -- ULID
  project_hash TEXT NOT NULL,       -- first 24 characters of the SHA-256 of root
  root TEXT NOT NULL,               -- absolute real path
  pid INTEGER NOT NULL,
  process TEXT NOT NULL,            -- boot and start time of the process, which distinguish it from a later one with its pid
  tty TEXT,
  socket TEXT,                      -- absolute path
  started_at TEXT NOT NULL,
  ended_at TEXT,
  exit_code INTEGER,
  session_id TEXT                   -- the current session
) STRICT;
CREATE INDEX idx_instances_open ON instances(project_hash) WHERE ended_at IS NULL;
`,
};
