import type { UsageFilter, UsageRow } from '@klaus/core/agent';
import type { EventOf, EventType } from '@klaus/core/protocol';
import { type StoredUsage, toUsageSums, USAGE_COLUMNS, USAGE_KEYS } from '../../shared/usage-sums.ts';
import type { Database } from '../database.ts';
import { fromEventRow } from '../log/record.ts';
import { TREE } from './read-tree.ts';

/** Sums over charged requests; days and models by name, sessions the oldest first. */
export function readUsage(database: Database, { session, by, since, workspaces }: UsageFilter): UsageRow[] {
  const sql = `${TREE} SELECT ${USAGE_KEYS[by]} AS key, ${USAGE_COLUMNS} FROM token_usage
    WHERE (?1 IS NULL OR session_id IN (SELECT id FROM tree)) AND (?2 IS NULL OR created_at >= ?2)
      AND (?3 IS NULL OR session_id IN (
        SELECT id FROM sessions WHERE workspace_dir IN (SELECT value FROM json_each(?3))))
    GROUP BY key ORDER BY ${by === 'session' ? 'min(id)' : 'key'}`;
  const from = since === undefined ? null : new Date(since).toISOString();
  const folders = workspaces === undefined ? null : JSON.stringify(workspaces);
  return database.all<StoredUsage>(sql, session ?? null, from, folders).map(toUsageSums);
}

interface Row {
  session: string;
  seq: number;
  record: string;
}

/**
 * Events of some types of a session, in order.
 *
 * @throws KlausError `store.corrupt` for an invalid record.
 */
export function readEventsOf<T extends EventType>(
  database: Database,
  session: string,
  types: readonly T[],
): EventOf<T>[] {
  const rows = database.all<Row>(toQuery(types), session, ...types);
  return rows.map((row) => fromEventRow(database, row) as EventOf<T>);
}

/** The last event of some types of a session, found from its end. */
export function readLastOf<T extends EventType>(
  database: Database,
  session: string,
  types: readonly T[],
): EventOf<T> | undefined {
  const row = database.get<Row>(`${toQuery(types)} DESC LIMIT 1`, session, ...types);
  return row && (fromEventRow(database, row) as EventOf<T>);
}

function toQuery(types: readonly EventType[]): string {
  const places = types.map(() => '?').join(', ');
  return `SELECT session_id AS session, seq, record FROM events WHERE session_id = ? AND type IN (${places}) ORDER BY seq`;
}

/** Requests without an end in the log: in flight, or sent by a process that ended. */
export function readOpenRequests(database: Database): EventOf<'turn.started' | 'model.requested'>[] {
  const sessions = database.all<{ id: string }>('SELECT id FROM sessions ORDER BY created_at, id');
  return sessions.flatMap(({ id }) => {
    const last = readLastOf(database, id, ['turn.started', 'model.requested', 'model.attempted']);
    return last && last.type !== 'model.attempted' ? [last] : [];
  });
}
