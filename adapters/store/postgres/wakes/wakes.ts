import type { Sql } from '../database.ts';

/**
 * Milliseconds between two wakes of a session that does not continue: doubled for each, up to the longest. `refused` is the
 * longest for a session of which a worker reported that it cannot run; any other one may only be lost or wait for a slot.
 */
const WAIT = { first: 4_000, longest: 30_000, refused: 300_000 } as const;

/** A session that has something to do, and that no live process holds. */
export interface WaitingSession {
  session: string;
  /** Unix milliseconds: when its oldest command arrived, or of the last event of its run. */
  since: number;
  /** Why a worker could not run it, if nothing has changed since. */
  problem: { code: string; message: string; hint: string | null } | null;
}

/** Sessions that one call gives: a sweep can wake them before the next one. */
const MAX_TAKEN = 200;

/**
 * What a sweep over all sessions needs, to repair lost wakes and timers. All sessions in it are those that the user opened:
 * they run the sessions below them.
 */
export interface Wakes {
  /** Sessions with a command that has waited longer than this, the longest first. */
  overdue(olderThanMs: number): Promise<string[]>;
  /** Sessions with a run that has no end, that no live process holds, and that waits for no approval. */
  interrupted(): Promise<string[]>;
  /** All sessions that wait for a worker, the longest first. */
  waiting(): Promise<WaitingSession[]>;
  /** Sessions with an open approval that expires until then, with the first one. Not those that run at another place. */
  expiring(until: number): Promise<{ session: string; expiresAt: number }[]>;
  /**
   * Those of the sessions that the caller has to wake now, at most 200, the first ones. Of several callers one gets a session. It is not given again for
   * 4 s, and if its log stays as it is, for twice the time of the last wait: at most 30 s, and at most 5 minutes
   * when a worker reported that it cannot run. A session that a live process holds, or that runs at another place, is not
   * given.
   *
   * @param now Unix milliseconds.
   */
  take(sessions: readonly string[], now: number): Promise<string[]>;
  /** Forgets when sessions were woken. Call it with those whose wake failed. */
  forget(sessions: readonly string[]): Promise<void>;
  /** Forgets it for all other sessions. Call it with all that have something to do. */
  forgetOthers(sessions: readonly string[]): Promise<void>;
}

export function createWakes(sql: Sql): Wakes {
  return {
    async overdue(olderThanMs) {
      const found = `SELECT session_id, (extract(epoch FROM min(received_at)) * 1000)::bigint FROM inbox
        WHERE consumed_seq IS NULL AND received_at < clock_timestamp() - $1 * interval '1 millisecond'
        GROUP BY session_id`;
      return (await sql.all<Found>(toRoots(found), [olderThanMs])).map(({ session }) => session);
    },
    async interrupted() {
      return (await sql.all<{ session: string }>(INTERRUPTED)).map(({ session }) => session);
    },
    waiting: () => sql.all<WaitingSession>(WAITING),
    async expiring(until) {
      const found = `SELECT session_id, min(expires_at) FROM approvals
        WHERE answer IS NULL AND expires_at <= $1
          AND NOT EXISTS (SELECT 1 FROM session_moves AS moves WHERE moves.session_id = approvals.session_id)
        GROUP BY session_id`;
      const rows = await sql.all<Found>(toRoots(found), [until]);
      return rows.map(({ session, key }) => ({ session, expiresAt: key }));
    },
    async take(sessions, now) {
      if (sessions.length === 0) return [];
      const rows = await sql.all<{ session: string }>(TAKE, [sessions, Math.trunc(now), WAIT.first, MAX_TAKEN]);
      const taken = new Set(rows.map(({ session }) => session));
      return sessions.filter((session) => taken.has(session));
    },
    async forget(sessions) {
      await sql.run('DELETE FROM sweep_wakes WHERE session_id = ANY ($1::text[])', [sessions]);
    },
    async forgetOthers(sessions) {
      await sql.run('DELETE FROM sweep_wakes WHERE session_id <> ALL ($1::text[])', [sessions]);
    },
  };
}

interface Found {
  session: string;
  key: number;
}

/** The sessions that the user opened above those that are found, with the least of their keys, in its order. */
function toRoots(found: string): string {
  return `WITH RECURSIVE up(id, key) AS (
      ${found}
      UNION ${toParents('up', 'up.key')})
    SELECT id AS session, min(key) AS key FROM up
    WHERE NOT EXISTS (${toParents('(SELECT up.id) AS up')}) GROUP BY id ORDER BY min(key), id`;
}

/** A fork of a child has no parent, and a deleted parent runs nothing. */
function toParents(from: string, ...columns: readonly string[]): string {
  return `SELECT ${['parent.id', ...columns].join(', ')} FROM ${from} JOIN sessions AS child ON child.id = up.id
    JOIN sessions AS parent ON parent.id = child.parent_id WHERE child.forked_from IS NULL`;
}

/** Sessions that a live process holds or that wait for an approval, with all above them. */
const BUSY = `SELECT session_id FROM live_leases UNION SELECT session_id FROM approvals WHERE answer IS NULL
    UNION ${toParents('up')}`;

const INTERRUPTED = `WITH RECURSIVE up(id) AS (${BUSY})
  SELECT id AS session FROM sessions WHERE status = 'running' AND (parent_id IS NULL OR forked_from IS NOT NULL)
    AND id NOT IN (SELECT id FROM up)`;

/** A problem counts until the session changes. */
const PROBLEMS = `run_problems AS problems JOIN dated_sessions AS stopped ON stopped.id = problems.session_id
  AND problems.at >= stopped.updated_at::timestamptz`;

const WAITING = `WITH commands AS (${toRoots(`SELECT session_id, (extract(epoch FROM min(received_at)) * 1000)::bigint
      FROM inbox WHERE consumed_seq IS NULL GROUP BY session_id`)}),
    interrupted AS (${INTERRUPTED}),
    found AS (
      SELECT session, key AS since FROM commands
        WHERE session NOT IN (SELECT session_id FROM live_leases) AND session NOT IN (SELECT session_id FROM session_moves)
      UNION ALL SELECT session, (extract(epoch FROM updated_at::timestamptz) * 1000)::bigint
        FROM interrupted JOIN dated_sessions ON id = session)
  SELECT session, min(since) AS since, (SELECT json_build_object('code', code, 'message', message, 'hint', hint) FROM ${PROBLEMS}
    WHERE problems.session_id = session) AS problem
  FROM found GROUP BY session ORDER BY min(since), session`;

const LONGEST = `CASE WHEN EXISTS (SELECT 1 FROM ${PROBLEMS} WHERE problems.session_id = known.session_id)
  THEN ${WAIT.refused} ELSE ${WAIT.longest} END`;

/** The rows are locked in the order of their ids, so that two sweeps never wait for each other. */
const TAKE = `WITH due AS (
    SELECT given.id, coalesce(heads.seq, 0) AS seq FROM unnest($1::text[]) WITH ORDINALITY AS given(id, place)
    LEFT JOIN heads ON heads.session_id = given.id
    LEFT JOIN sweep_wakes AS known ON known.session_id = given.id
    WHERE given.id NOT IN (SELECT session_id FROM live_leases)
      AND given.id NOT IN (SELECT session_id FROM session_moves)
      AND (known.at IS NULL OR ${toDue('coalesce(heads.seq, 0)')})
    ORDER BY place LIMIT $4)
  INSERT INTO sweep_wakes AS known (session_id, seq, at, wait_ms) SELECT id, seq, $2, $3 FROM due ORDER BY id
  ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, at = excluded.at,
    wait_ms = CASE WHEN known.seq = excluded.seq THEN least(known.wait_ms * 2, ${LONGEST}) ELSE $3 END
  WHERE ${toDue('excluded.seq')}
  RETURNING session_id AS session`;

/** Whether a session that is known is woken again. */
function toDue(seq: string): string {
  return `(known.at <= $2::bigint - $3::bigint AND (known.seq <> ${seq} OR known.at <= $2::bigint - known.wait_ms))`;
}
