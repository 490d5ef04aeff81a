import type { StoredNote } from '../../transfer/session-transfer.ts';
import type { Database } from '../database.ts';

export function readNotes(database: Database, workspaces?: readonly string[]): StoredNote[] {
  return database.all<StoredNote>(
    `SELECT workspace, key, value, category, session_id AS session, created_at AS createdAt, updated_at AS updatedAt
     FROM knowledge WHERE ?1 IS NULL OR workspace IN (SELECT value FROM json_each(?1)) ORDER BY id`,
    workspaces ? JSON.stringify(workspaces) : null,
  );
}

/** Runs in the caller's transaction. Returns the number of notes that were newer. */
export function storeNotes(database: Database, notes: readonly StoredNote[]): number {
  let stored = 0;
  for (const { workspace, key, value, category, session, createdAt, updatedAt } of notes) {
    const { changes } = database.run(
      `INSERT INTO knowledge (workspace, key, value, category, session_id, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (workspace, key) DO UPDATE SET value = excluded.value, category = excluded.category,
         session_id = excluded.session_id, updated_at = excluded.updated_at
       WHERE excluded.updated_at > knowledge.updated_at`,
      ...[workspace, key, value, category, session, createdAt, updatedAt],
    );
    stored += Number(changes);
  }
  return stored;
}
