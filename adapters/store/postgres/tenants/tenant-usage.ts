import type { Sql } from '../database.ts';

/** The cost of a tenant in a calendar month. */
export interface TenantUsage {
  /** US dollars of the requests with a known price. */
  spentUsd: number;
  /** US dollars that requests without an end reserved: those in flight, and those of a process that ended. */
  reservedUsd: number;
  /** Requests of an unknown price, which are in none of the sums. */
  unpriced: number;
}

/** @param month Any time of a calendar month (UTC). */
export async function readTenantUsage(sql: Sql, tenant: string, month: Date): Promise<TenantUsage> {
  const [spent, open] = await Promise.all([
    sql.get<{ usd: number | null; unpriced: number }>(SPENT, [tenant, ...toRange(month)]),
    sql.get<{ usd: number | null }>(OPEN, [tenant]),
  ]);
  return { spentUsd: spent?.usd ?? 0, reservedUsd: open?.usd ?? 0, unpriced: spent?.unpriced ?? 0 };
}

function toRange(month: Date): [from: string, to: string] {
  const [year, at] = [month.getUTCFullYear(), month.getUTCMonth()];
  return [new Date(Date.UTC(year, at, 1)).toISOString(), new Date(Date.UTC(year, at + 1, 1)).toISOString()];
}

const SPENT = `SELECT sum(usd) AS usd, sum(unpriced) AS unpriced FROM (
    SELECT sum(cost_usd) AS usd, count(*) FILTER (WHERE cost_usd IS NULL) AS unpriced
    FROM token_usage JOIN tenant_sessions USING (session_id)
    WHERE tenant = $1 AND created_at >= $2 AND created_at < $3
    UNION ALL SELECT cost_usd, unpriced FROM tenant_deleted WHERE tenant = $1 AND month = left($2, 7)
  ) AS sums`;

/** Adds the cost of a session to that of the deleted ones of its tenant, by month. The session is deleted with it. */
export const KEEP_COST = `INSERT INTO tenant_deleted (tenant, month, cost_usd, unpriced)
  SELECT tenant, left(created_at, 7), coalesce(sum(cost_usd), 0), count(*) FILTER (WHERE cost_usd IS NULL)
  FROM token_usage JOIN tenant_sessions USING (session_id) WHERE session_id = $1 GROUP BY 1, 2
  ON CONFLICT (tenant, month) DO UPDATE SET cost_usd = tenant_deleted.cost_usd + excluded.cost_usd,
    unpriced = tenant_deleted.unpriced + excluded.unpriced`;

/** Only a session that runs, or whose run was interrupted, has a request without an end. */
const OPEN = `SELECT sum((last.record::json #>> '{reserved,usd}')::double precision) AS usd
  FROM sessions JOIN tenant_sessions ON session_id = sessions.id CROSS JOIN LATERAL (
    SELECT type, record FROM events WHERE session_id = sessions.id
      AND type IN ('turn.started', 'model.requested', 'model.attempted') ORDER BY seq DESC LIMIT 1
  ) AS last
  WHERE tenant = $1 AND status = 'running' AND last.type <> 'model.attempted'`;
