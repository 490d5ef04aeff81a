import { toMovedError, type SessionMove } from '../../transfer/session-move.ts';
import type { Sql } from '../database.ts';
import { MOVED } from '../migrations/m005-operations.ts';

/** Undefined for a session that runs here. */
export function readMove(sql: Sql, session: string): Promise<SessionMove | undefined> {
  return sql.get<SessionMove>('SELECT state, place FROM session_moves WHERE session_id = $1', [session]);
}

/** The error of a command for a session that does not run here; any other value unchanged. */
export async function explainMoved(sql: Sql, session: string, error: unknown): Promise<unknown> {
  const isMoved = error instanceof Error && 'code' in error && error.code === MOVED;
  const move = isMoved ? await readMove(sql, session) : undefined;
  return move ? toMovedError(session, move) : error;
}

/** @param options.at Unix milliseconds. */
export async function putMoves(
  sql: Sql,
  sessions: readonly string[],
  { state, place, at }: SessionMove & { at: number },
): Promise<void> {
  await sql.run(
    `INSERT INTO session_moves (session_id, state, place, at) SELECT unnest($1::text[]), $2, $3, $4
     ON CONFLICT (session_id) DO UPDATE SET state = excluded.state, place = excluded.place, at = excluded.at`,
    [sessions, state, place, Math.trunc(at)],
  );
}

/** @param state Only those with it. Default: any. */
export async function deleteMoves(sql: Sql, sessions: readonly string[], state?: SessionMove['state']): Promise<void> {
  await sql.run('DELETE FROM session_moves WHERE session_id = ANY($1::text[]) AND state = coalesce($2, state)', [
    sessions,
    state ?? null,
  ]);
}
