import type { Sql } from '../database.ts';

/** The rows `tree(id)` of the session $1 and its descendants. */
export const TREE = `WITH RECURSIVE tree(id) AS (
  SELECT $1::text COLLATE "C" UNION SELECT sessions.id FROM sessions JOIN tree ON sessions.parent_id = tree.id)`;

/** The session and its descendants, the session itself first, then by their ids. */
export async function readTree(sql: Sql, session: string): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(`${TREE} SELECT id FROM tree ORDER BY id <> $1, id`, [session]);
  return rows.map(({ id }) => id);
}
