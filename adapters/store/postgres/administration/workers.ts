import type { Sql } from '../database.ts';
import { HOLDER_LOCK_CLASS } from '../leases/holder-lock.ts';

/** What a worker reports of itself. */
export interface WorkerFacts {
  id: string;
  host: string;
  pid: number;
  version: string;
  /** URL of its health; null where none is served. */
  health: string | null;
  slots: number;
  running: number;
  draining: boolean;
}

export interface WorkerRow extends WorkerFacts {
  /** ISO 8601. */
  startedAt: string;
  /** ISO 8601. */
  seenAt: string;
  /** True if it was asked to drain. */
  isAsked: boolean;
  /** False for a worker that was killed, stopped, or cannot reach Postgres. */
  isLive: boolean;
}

/** Milliseconds after its last report at which a worker does not count as alive: several reports were missed. */
const LOST_MS = 10_000;

/** Reports a worker; the first report also forgets those that were killed long ago. */
export async function beat(sql: Sql, worker: WorkerFacts & { holder: number }): Promise<{ drain: boolean }> {
  const { id, host, pid, version, health, slots, running, draining, holder } = worker;
  const row = await sql.get<{ drain: boolean }>(
    `WITH old AS (DELETE FROM workers WHERE id <> $1 AND seen_at < clock_timestamp() - interval '1 hour')
     INSERT INTO workers (id, host, pid, version, health, slots, running, draining, holder)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (id) DO UPDATE SET running = excluded.running, draining = excluded.draining,
       holder = excluded.holder, seen_at = clock_timestamp()
     RETURNING drain_at IS NOT NULL AS drain`,
    [id, host, pid, version, health, slots, running, draining, holder],
  );
  return row!;
}

export async function removeWorker(sql: Sql, id: string): Promise<void> {
  await sql.run('DELETE FROM workers WHERE id = $1', [id]);
}

export async function listWorkers(sql: Sql): Promise<WorkerRow[]> {
  const rows = await sql.all<Omit<WorkerRow, 'startedAt' | 'seenAt'> & { startedAt: Date; seenAt: Date }>(
    `SELECT id, host, pid, version, health, slots, running, draining, started_at AS "startedAt", seen_at AS "seenAt",
       drain_at IS NOT NULL AS "isAsked", ${IS_LIVE} AS "isLive"
     FROM workers ORDER BY started_at, id`,
    [LOST_MS],
  );
  return rows.map((row) => ({
    ...row,
    startedAt: row.startedAt.toISOString(),
    seenAt: row.seenAt.toISOString(),
  }));
}

export async function requestDrain(sql: Sql, id: string): Promise<boolean> {
  const text = `UPDATE workers SET drain_at = coalesce(drain_at, clock_timestamp()) WHERE id = $2 AND ${IS_LIVE}`;
  return (await sql.run(text, [LOST_MS, id])) > 0;
}

/** `$1` is {@link LOST_MS}. A killed process loses its lock at once. */
const IS_LIVE = `(seen_at > clock_timestamp() - $1 * interval '1 millisecond' AND EXISTS (
  SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = ${HOLDER_LOCK_CLASS} AND objid = workers.holder::oid))`;
