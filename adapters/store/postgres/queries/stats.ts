import type { StoreStats } from '@klaus/core/agent';
import { COUNTED_TABLES } from '../../shared/counted-tables.ts';
import type { Sql } from '../database.ts';
import { readTotalUsage } from './usage.ts';

/**
 * Reads every table once.
 *
 * @param blobs What the store of blobs contains.
 */
export async function readStats(sql: Sql, blobs: { count: number; bytes: number }): Promise<StoreStats> {
  const { name, bytes } = (await sql.get<{ name: string; bytes: number }>(
    'SELECT current_database() AS name, pg_database_size(current_database()) AS bytes',
  ))!;
  // The machine that runs Postgres knows the instances of no other one.
  const tables = COUNTED_TABLES.filter((table) => table !== 'instances');
  const counts = tables.map((table) => `SELECT '${table}' AS name, count(*) AS rows FROM ${table}`);
  return {
    file: name,
    bytes: { database: bytes, writeAheadLog: 0, blobs: blobs.bytes },
    blobs: blobs.count,
    tables: await sql.all<{ name: string; rows: number }>(counts.join(' UNION ALL ')),
    sessions: await sql.all<{ status: string; count: number }>(
      'SELECT status, count(*) AS count FROM sessions GROUP BY status ORDER BY status',
    ),
    usage: await readTotalUsage(sql),
  };
}
