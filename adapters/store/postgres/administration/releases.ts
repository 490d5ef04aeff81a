import type { Sql } from '../database.ts';

/** The session that the user opened, above `$1`. */
const ROOT = `WITH RECURSIVE above(id, depth) AS (
    SELECT $1::text COLLATE "C", 0
    UNION ALL
    SELECT parent_id, depth + 1 FROM sessions JOIN above USING (id)
      WHERE parent_id IS NOT NULL AND forked_from IS NULL AND depth < 100
  ), root AS (SELECT id FROM above ORDER BY depth DESC LIMIT 1
  ), below(id) AS (
    SELECT id FROM root
    UNION
    SELECT sessions.id FROM sessions JOIN below ON parent_id = below.id WHERE forked_from IS NULL
  )`;

/** Asks the holder of a session, or of one of its tree: a worker runs the session that the user opened. */
export async function requestRelease(sql: Sql, session: string): Promise<string | undefined> {
  const row = await sql.get<{ worker: string }>(
    `${ROOT}, held AS (
       SELECT holder FROM live_leases JOIN below ON session_id = below.id ORDER BY holder LIMIT 1
     ), asked AS (
       INSERT INTO release_requests (session_id, holder) SELECT root.id, held.holder FROM root, held
       ON CONFLICT (session_id) DO UPDATE SET holder = excluded.holder, at = clock_timestamp()
     )
     SELECT coalesce((SELECT workers.id FROM workers WHERE workers.holder = held.holder), 'process ' || held.holder)
       AS worker FROM held`,
    [session],
  );
  return row?.worker;
}

/** The requests to a process about sessions that it runs. Each is returned once; outdated ones are deleted. */
export async function takeReleases(
  sql: Sql,
  { holder, running }: { holder: number; running: readonly string[] },
): Promise<string[]> {
  if (running.length === 0) return [];
  const rows = await sql.all<{ id: string; holder: number }>(
    'DELETE FROM release_requests WHERE session_id = ANY($1::text[]) RETURNING session_id AS id, holder',
    [running],
  );
  return rows.filter((row) => row.holder === holder).map(({ id }) => id);
}
