import type { StoreStats, UsageFilter, UsageRow } from '@klaus/core/agent';
import type { EventOf } from '@klaus/core/protocol';
import { TOTAL_USAGE, type StoredUsage, toUsageSums, USAGE_COLUMNS, USAGE_KEYS } from '../../shared/usage-sums.ts';
import type { Sql } from '../database.ts';
import { Conditions } from './conditions.ts';
import { toEventOf } from './events.ts';
import { TREE } from './tree.ts';

/** Sums over charged requests; days and models by name, sessions the oldest first. */
export async function readUsage(sql: Sql, { session, by, since, workspaces }: UsageFilter): Promise<UsageRow[]> {
  const where = new Conditions(session === undefined ? [] : [session]);
  if (session !== undefined) where.add(() => 'session_id IN (SELECT id FROM tree)');
  if (since !== undefined) where.add((place) => `created_at >= ${place(new Date(since).toISOString())}`);
  if (workspaces !== undefined) {
    where.add(
      (place) => `session_id IN (SELECT id FROM sessions WHERE workspace_dir = ANY(${place(workspaces)}::text[]))`,
    );
  }
  const text = `${session === undefined ? '' : TREE} SELECT ${USAGE_KEYS[by]} AS key, ${USAGE_COLUMNS}
    FROM token_usage ${where.text()} GROUP BY 1 ORDER BY ${by === 'session' ? 'min(id)' : '1 NULLS FIRST'}`;
  return (await sql.all<StoredUsage>(text, where.values)).map(toUsageSums);
}

/** The sums over all sessions, without requests of an unknown price. */
export async function readTotalUsage(sql: Sql): Promise<StoreStats['usage']> {
  return (await sql.get<StoreStats['usage']>(TOTAL_USAGE))!;
}

/** Requests without an end in the log: in flight, or sent by a process that ended. */
export async function readOpenRequests(sql: Sql): Promise<EventOf<'turn.started' | 'model.requested'>[]> {
  const rows = await sql.all<{ session: string; seq: number; record: string }>(
    `SELECT sessions.id AS session, last.seq, record FROM sessions CROSS JOIN LATERAL (
        SELECT seq, type, record FROM events WHERE session_id = sessions.id
          AND type IN ('turn.started', 'model.requested', 'model.attempted') ORDER BY seq DESC LIMIT 1
      ) AS last WHERE last.type <> 'model.attempted' ORDER BY created_at, sessions.id`,
  );
  return rows.map((row) => toEventOf<'turn.started' | 'model.requested'>(row));
}
