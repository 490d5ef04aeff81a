import type { Sql } from '../database.ts';
import { readBatches } from '../log/log.ts';
import { type PostgresProjectionOptions, projectEvents } from './project-events.ts';

/** Tables with rows that are derived from one log, children first. */
const TABLES = ['message_words', 'approvals', 'token_usage', 'tool_calls', 'messages', 'checkpoints'] as const;

/**
 * Folds the projections of one session again. Runs in the caller's transaction; an append locks the same head.
 *
 * @returns The number of events.
 * @throws KlausError `store.corrupt` for a log that cannot be read; nothing is changed then.
 */
export async function rebuildSession(sql: Sql, session: string, options: PostgresProjectionOptions): Promise<number> {
  await sql.all('SELECT 1 FROM heads WHERE session_id = $1 FOR UPDATE', [session]);
  const valid = await sql.all<{ approval: string }>('SELECT approval FROM remembered WHERE session_id = $1', [session]);
  for (const table of TABLES) await sql.run(`DELETE FROM ${table} WHERE session_id = $1`, [session]);
  await sql.run('DELETE FROM sessions WHERE id = $1', [session]);
  let count = 0;
  for await (const events of readBatches(sql, session, 0)) {
    await projectEvents(sql, events, options);
    count += events.length;
  }
  // The log would renew what the user revoked.
  await sql.run('DELETE FROM remembered WHERE session_id = $1 AND NOT approval = ANY($2::text[])', [
    session,
    valid.map(({ approval }) => approval),
  ]);
  return count;
}
