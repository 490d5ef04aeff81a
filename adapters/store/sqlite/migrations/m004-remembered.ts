import type { Migration } from './migration.ts';

/** Approvals that hold for every session of one agent on one workspace. They outlive the session that they were given in. */
export const m004: Migration = {
  name: 'm004-remembered',
  apply(database) {
    database.exec(`
CREATE TABLE remembered (
  approval TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL,
  workspace TEXT NOT NULL,              -- absolute real path
  agent TEXT NOT NULL,
  record TEXT NOT NULL,                 -- JSON
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX idx_remembered_workspace ON remembered(workspace, agent);
`);
  },
};
