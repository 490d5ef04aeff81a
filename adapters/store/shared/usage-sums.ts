import type { Charged, UsageFilter, UsageRow } from '@klaus/core/agent';

/** What a row of sums is about, in the SQL of both stores. */
export const USAGE_KEYS = {
  day: 'substr(created_at, 1, 10)',
  model: 'model',
  session: 'session_id',
  agent: '(SELECT agent_type FROM sessions WHERE sessions.id = session_id)',
  workspace: '(SELECT workspace_dir FROM sessions WHERE sessions.id = session_id)',
} as const satisfies Record<UsageFilter['by'], string>;

/** A sum of tokens. */
const toSum = (column: string, where: string): string => `CAST(coalesce(sum(${column})${where}, 0) AS bigint)`;

/** A sum of dollars. Its last digit depends on the order in which the store adds the numbers. */
const toCost = (where: string): string => `coalesce(sum(cost_usd)${where}, 0.0)`;

const PARTS = {
  '': '',
  broken: ` FILTER (WHERE outcome NOT IN ('ok', 'abandoned'))`,
  abandoned: ` FILTER (WHERE outcome = 'abandoned')`,
} as const;

type Part = keyof typeof PARTS;

/** The columns of {@link StoredUsage} without its key. */
export const USAGE_COLUMNS = Object.entries(PARTS)
  .map(
    ([part, where]) => `count(*)${where} AS "${part}Requests",
  ${toSum('input_tokens - cache_read_tokens - cache_write_tokens', where)} AS "${part}Input",
  ${toSum('output_tokens', where)} AS "${part}Output",
  ${toSum('cache_read_tokens', where)} AS "${part}CacheRead",
  ${toSum('cache_write_tokens', where)} AS "${part}CacheWrite",
  ${toCost(where)} AS "${part}Usd",
  count(cost_usd)${where} AS "${part}Priced"`,
  )
  .join(', ')
  .concat(', coalesce(sum(held_usd), 0.0) AS "heldUsd"');

/** The sums over all rows of `token_usage`, as in `StoreStats.usage`. */
export const TOTAL_USAGE = `SELECT ${toSum('input_tokens - cache_read_tokens - cache_write_tokens', '')} AS "inputTokens",
  ${toSum('output_tokens', '')} AS "outputTokens", ${toSum('cache_read_tokens', '')} AS "cacheReadTokens",
  ${toSum('cache_write_tokens', '')} AS "cacheWriteTokens", ${toCost('')} AS usd FROM token_usage`;

/** A row of sums as a statement returns it. */
export type StoredUsage = { key: string } & Record<string, number>;

export function toUsageSums(row: StoredUsage): UsageRow {
  return {
    key: row.key,
    ...toCharged(row, ''),
    heldUsd: row['heldUsd']!,
    broken: toCharged(row, 'broken'),
    abandoned: toCharged(row, 'abandoned'),
  };
}

function toCharged(row: Record<string, number>, part: Part): Charged {
  const requests = row[`${part}Requests`]!;
  return {
    requests,
    inputTokens: row[`${part}Input`]!,
    outputTokens: row[`${part}Output`]!,
    cacheReadTokens: row[`${part}CacheRead`]!,
    cacheWriteTokens: row[`${part}CacheWrite`]!,
    usd: row[`${part}Priced`]! < requests ? null : row[`${part}Usd`]!,
  };
}
