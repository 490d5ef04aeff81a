import type { Charged, UsageFilter, UsageRow } from '@klaus/core/agent';
import type { EventOf, EventType } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { fromEventRow } from '../log/record.ts';
import { TREE } from './read-tree.ts';

const KEYS = {
  day: 'substr(created_at, 1, 10)',
  model: 'model',
  session: 'session_id',
  agent: '(SELECT agent_type FROM sessions WHERE sessions.id = session_id)',
  workspace: '(SELECT workspace_dir FROM sessions WHERE sessions.id = session_id)',
} as const;

const PARTS = {
  '': 'TRUE',
  broken: `outcome NOT IN ('ok', 'abandoned')`,
  abandoned: `outcome = 'abandoned'`,
} as const;

const COLUMNS = Object.entries(PARTS).map(
  ([part, where]) => `count(*) FILTER (WHERE ${where}) AS ${part}Requests,
  coalesce(sum(input_tokens - cache_read_tokens - cache_write_tokens) FILTER (WHERE ${where}), 0) AS ${part}Input,
  coalesce(sum(output_tokens) FILTER (WHERE ${where}), 0) AS ${part}Output,
  coalesce(sum(cache_read_tokens) FILTER (WHERE ${where}), 0) AS ${part}CacheRead,
  coalesce(sum(cache_write_tokens) FILTER (WHERE ${where}), 0) AS ${part}CacheWrite,
  coalesce(sum(cost_usd) FILTER (WHERE ${where}), 0.0) AS ${part}Usd,
  count(*) FILTER (WHERE (${where}) AND cost_usd IS NULL) AS ${part}Unpriced`,
);

/** Sums over charged requests; days and models by name, sessions the oldest first. */
export function readUsage(database: Database, { session, by, since }: UsageFilter): UsageRow[] {
  const sql = `${TREE} SELECT ${KEYS[by]} AS key, ${COLUMNS.join(', ')} FROM token_usage
    WHERE (?1 IS NULL OR session_id IN (SELECT id FROM tree)) AND (?2 IS NULL OR created_at >= ?2)
    GROUP BY key ORDER BY ${by === 'session' ? 'min(id)' : 'key'}`;
  const from = since === undefined ? null : new Date(since).toISOString();
  return database.all<{ key: string } & Record<string, number>>(sql, session ?? null, from).map((row): UsageRow => ({
    key: row.key,
    ...toCharged(row, ''),
    broken: toCharged(row, 'broken'),
    abandoned: toCharged(row, 'abandoned'),
  }));
}

function toCharged(row: Record<string, number>, part: keyof typeof PARTS): Charged {
  return {
    requests: row[`${part}Requests`]!,
    inputTokens: row[`${part}Input`]!,
    outputTokens: row[`${part}Output`]!,
    cacheReadTokens: row[`${part}CacheRead`]!,
    cacheWriteTokens: row[`${part}CacheWrite`]!,
    usd: row[`${part}Unpriced`]! > 0 ? null : row[`${part}Usd`]!,
  };
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
