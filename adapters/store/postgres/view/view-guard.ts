import type { HostEventOf } from '@klaus/core/protocol';
import { GUARD_TYPES } from '../../shared/guard-types.ts';
import type { Sql } from '../database.ts';
import { type HostRow, toHostEventOf } from '../log/host-events.ts';

/** What the host chain says about the guard. */
export interface ViewGuard {
  /** In order. */
  changes: readonly HostEventOf<'guard.changed'>[];
  /** Seq of the last event about the guard; 0 without one. */
  seq: number;
}

export const NO_GUARD: ViewGuard = { changes: [], seq: 0 };

/**
 * The state after `known`, read from the later events only.
 *
 * @throws KlausError `store.corrupt` for an invalid record.
 */
export async function readGuard(sql: Sql, known: ViewGuard): Promise<ViewGuard> {
  const [last, rows] = await Promise.all([
    sql.get<{ seq: number | null }>(LAST, [GUARD_TYPES]),
    sql.all<HostRow>("SELECT seq, record FROM host_events WHERE type = 'guard.changed' AND seq > $1 ORDER BY seq", [
      known.seq,
    ]),
  ]);
  const changes = rows.map((row) => toHostEventOf<'guard.changed'>(row));
  return { changes: changes.length > 0 ? [...known.changes, ...changes] : known.changes, seq: last?.seq ?? 0 };
}

/** One look at the end of the index for each type. */
const LAST = `SELECT max(seq) AS seq FROM unnest($1::text[]) AS wanted(type),
  LATERAL (SELECT seq FROM host_events WHERE host_events.type = wanted.type ORDER BY seq DESC LIMIT 1) AS last`;
