import { toMovedError, type SessionMove } from '../../transfer/session-move.ts';
import type { Database } from '../database.ts';

/** Undefined for a session that runs here. */
export function readMove(database: Database, session: string): SessionMove | undefined {
  return database.get<SessionMove>('SELECT state, place FROM session_moves WHERE session_id = ?', session);
}

/** @throws KlausError `session.moved` for a session that does not run here. */
export function checkNotMoved(database: Database, session: string): void {
  const move = readMove(database, session);
  if (move) throw toMovedError(session, move);
}

/** @param options.at Unix milliseconds. */
export function putMove(database: Database, session: string, { state, place, at }: SessionMove & { at: number }): void {
  database.run(
    `INSERT INTO session_moves (session_id, state, place, at) VALUES (?, ?, ?, ?)
     ON CONFLICT (session_id) DO UPDATE SET state = excluded.state, place = excluded.place, at = excluded.at`,
    session,
    state,
    place,
    Math.trunc(at),
  );
}

export function deleteMove(database: Database, session: string, state?: SessionMove['state']): void {
  database.run('DELETE FROM session_moves WHERE session_id = ? AND state = coalesce(?, state)', session, state ?? null);
}
