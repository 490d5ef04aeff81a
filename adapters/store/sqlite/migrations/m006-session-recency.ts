import type { Migration } from './migration.ts';

/**
 * No index holds when a session was last written to: every event changes that, and the pages of two indexes with it.
 * Sessions are few enough to be sorted when they are listed.
 */
export const m006: Migration = {
  name: 'm006-session-recency',
  apply(database) {
    database.exec(`DROP INDEX IF EXISTS idx_sessions_updated; DROP INDEX IF EXISTS idx_sessions_workspace;
CREATE INDEX idx_sessions_workspace ON sessions(workspace_dir)`);
  },
};
