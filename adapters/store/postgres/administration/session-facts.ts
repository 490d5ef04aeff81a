import type { SessionMove } from '../../transfer/session-move.ts';
import type { Sql } from '../database.ts';

/** A session that is not idle, or might not be. */
export interface ActiveSession {
  id: string;
  /** Absolute path. */
  workspace: string;
  title: string | null;
  status: 'idle' | 'running' | 'waiting' | 'closed';
  /** Worker that holds it; null where no live process does. A process that is no worker is `process N`. */
  worker: string | null;
  /** True if a live process holds it or a session below it. */
  isHeld: boolean;
  /** True if a process holds it that has not renewed its lease in time, such as a worker that lost Postgres. */
  isLost: boolean;
  /** True if it, or a session below it, waits for an approval. */
  isAsking: boolean;
  /** True if it waits for a free slot of its project. */
  needsSlot: boolean;
  /** Milliseconds since its oldest waiting command arrived; null without one. */
  waitingMs: number | null;
  commands: number;
  /** Milliseconds since its last change. */
  idleMs: number;
  /** Why it could not run, if nothing has changed since. */
  problem: { worker: string; code: string; message: string; hint: string | null } | null;
  move: SessionMove | null;
}

export interface IdleSession {
  id: string;
  workspace: string;
  title: string | null;
  idleMs: number;
}

/** Sessions that are held, that have a waiting command or a problem, whose run has no end, or that ask. */
const ACTIVE = `SELECT id FROM sessions WHERE status IN ('running', 'waiting')
  UNION SELECT session_id FROM live_leases JOIN sessions ON sessions.id = session_id
  UNION SELECT session_id FROM inbox JOIN sessions ON sessions.id = session_id WHERE consumed_seq IS NULL
  UNION SELECT session_id FROM session_moves JOIN sessions ON sessions.id = session_id`;

const MS = (since: string): string => `(extract(epoch FROM clock_timestamp() - ${since}) * 1000)::bigint`;

/** Runs in the caller's snapshot. */
export function listActive(sql: Sql): Promise<ActiveSession[]> {
  return sql.all<ActiveSession>(
    `WITH RECURSIVE active AS MATERIALIZED (${ACTIVE}),
     held AS MATERIALIZED (SELECT session_id AS id, holder FROM live_leases),
     up(id, above) AS (
       SELECT id, id FROM active
       UNION
       SELECT up.id, parent_id FROM up JOIN sessions ON sessions.id = up.above
         WHERE parent_id IS NOT NULL AND forked_from IS NULL
     )
     SELECT sessions.id, workspace_dir AS workspace, title, status,
       (SELECT coalesce((SELECT workers.id FROM workers WHERE workers.holder = held.holder LIMIT 1),
          'process ' || held.holder) FROM held WHERE held.id = sessions.id) AS worker,
       EXISTS (SELECT 1 FROM up JOIN held ON held.id = up.id WHERE up.above = sessions.id) AS "isHeld",
       EXISTS (SELECT 1 FROM leases WHERE session_id = sessions.id AND holder IS NOT NULL
         AND session_id NOT IN (SELECT id FROM held)) AS "isLost",
       EXISTS (SELECT 1 FROM up JOIN approvals ON approvals.session_id = up.id AND answer IS NULL
         WHERE up.above = sessions.id) AS "isAsking",
       EXISTS (SELECT 1 FROM tenant_runs WHERE session_id = sessions.id AND tenant_runs.holder IS NULL) AS "needsSlot",
       ${MS('(SELECT min(received_at) FROM inbox WHERE session_id = sessions.id AND consumed_seq IS NULL)')} AS "waitingMs",
       (SELECT count(*) FROM inbox WHERE session_id = sessions.id AND consumed_seq IS NULL) AS commands,
       ${MS('updated_at::timestamptz')} AS "idleMs",
       (SELECT json_build_object('worker', problems.worker, 'code', code, 'message', message, 'hint', hint)
          FROM run_problems AS problems WHERE session_id = sessions.id AND at >= updated_at::timestamptz) AS problem,
       (SELECT json_build_object('state', state, 'place', place) FROM session_moves
          WHERE session_id = sessions.id) AS move
     FROM dated_sessions AS sessions JOIN active USING (id) ORDER BY updated_at DESC, sessions.id`,
  );
}

export function listIdle(sql: Sql, limit: number): Promise<IdleSession[]> {
  return sql.all<IdleSession>(
    `SELECT id, workspace_dir AS workspace, title, ${MS('updated_at::timestamptz')} AS "idleMs" FROM dated_sessions
     WHERE id NOT IN (${ACTIVE}) ORDER BY updated_at DESC, id LIMIT $1`,
    [limit],
  );
}

export async function countSessions(sql: Sql): Promise<number> {
  return (await sql.get<{ count: number }>('SELECT count(*) AS count FROM sessions'))!.count;
}
