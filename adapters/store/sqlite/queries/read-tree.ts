import type { Database } from '../database.ts';

/** What only reads need of a connection. */
export type Reader = Pick<Database, 'all' | 'get'>;

/** The rows `tree(id)` of the session ?1 and its descendants, the session itself first. */
export const TREE = `WITH RECURSIVE tree(id) AS (
  SELECT ?1 UNION SELECT sessions.id FROM sessions JOIN tree ON sessions.parent_id = tree.id)`;

/** The session and its descendants, the session itself first. */
export function readTree(database: Reader, session: string): string[] {
  return database.all<{ id: string }>(`${TREE} SELECT id FROM tree`, session).map(({ id }) => id);
}
