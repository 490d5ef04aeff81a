import type { StoredNote } from '../../transfer/session-transfer.ts';
import type { Sql } from '../database.ts';
import { NOTE_WORDS, toNoteTexts } from '../queries/knowledge.ts';

export function readNotes(sql: Sql, workspaces?: readonly string[]): Promise<StoredNote[]> {
  return sql.all<StoredNote>(
    `SELECT workspace, key, value, category, session_id AS session, created_at AS "createdAt", updated_at AS "updatedAt"
     FROM knowledge WHERE $1::text[] IS NULL OR workspace = ANY($1) ORDER BY id`,
    [workspaces ?? null],
  );
}

/** Runs in the caller's transaction. Returns the number of notes that were newer. */
export async function storeNotes(sql: Sql, notes: readonly StoredNote[]): Promise<number> {
  let stored = 0;
  for (const { workspace, key, value, category, session, createdAt, updatedAt } of notes) {
    stored += await sql.run(
      `INSERT INTO knowledge (workspace, key, value, category, session_id, created_at, words, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, ${NOTE_WORDS}, $10)
       ON CONFLICT (workspace, key) DO UPDATE SET value = excluded.value, category = excluded.category,
         session_id = excluded.session_id, updated_at = excluded.updated_at, words = excluded.words
       WHERE excluded.updated_at > knowledge.updated_at`,
      [workspace, key, value, category, session, createdAt, ...toNoteTexts({ key, value, category }), updatedAt],
    );
  }
  return stored;
}
