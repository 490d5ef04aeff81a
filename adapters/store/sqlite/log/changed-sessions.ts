import type { ChangeMark } from '@klaus/core/agent';
import type { Database } from '../database.ts';

/** The sessions that were written to, or sent to, since a mark, and the new mark. */
export function changedSessions(
  database: Database,
  since: ChangeMark | undefined,
): { mark: ChangeMark; sessions: string[] } {
  const mark = {
    events: database.get<{ id: number | null }>('SELECT max(id) AS id FROM events')?.id ?? 0,
    inbox: database.get<{ id: number | null }>('SELECT max(id) AS id FROM inbox')?.id ?? 0,
  };
  if (!since) return { mark, sessions: [] };
  const rows = database.all<{ id: string }>(
    `SELECT DISTINCT session_id AS id FROM events WHERE id > ?
      UNION SELECT DISTINCT session_id FROM inbox WHERE id > ?`,
    since.events,
    since.inbox,
  );
  return { mark, sessions: rows.map(({ id }) => id) };
}
