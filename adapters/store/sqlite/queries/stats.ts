import { statSync } from 'node:fs';
import type { StoreStats } from '@klaus/core/agent';
import type { Blobs } from '../log/blobs.ts';
import type { Database } from '../database.ts';

const TABLES = [
  'sessions',
  'events',
  'messages',
  'tool_calls',
  'token_usage',
  'approvals',
  'projects',
  'instances',
  'knowledge',
  'inbox',
  'heads',
  'blob_refs',
  'checkpoints',
  'host_events',
] as const;

/** Reads every table once. */
export function readStats(database: Database, blobs: Blobs): StoreStats {
  const files = blobs.list().filter((blob) => blob.hash !== '');
  const rows = (table: string) => database.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`)?.rows ?? 0;
  return {
    file: database.file,
    bytes: {
      database: toSize(database.file),
      writeAheadLog: toSize(`${database.file}-wal`),
      blobs: files.reduce((sum, blob) => sum + blob.size, 0),
    },
    blobs: files.length,
    tables: TABLES.map((name) => ({ name, rows: rows(name) })),
    sessions: database
      .all<{ status: string; count: number }>(
        'SELECT status, count(*) AS count FROM sessions GROUP BY status ORDER BY status',
      )
      .map((row) => ({ ...row })),
    usage: {
      ...database.get<StoreStats['usage']>(
        `SELECT coalesce(sum(input_tokens - cache_read_tokens - cache_write_tokens), 0) AS inputTokens,
        coalesce(sum(output_tokens), 0) AS outputTokens,
        coalesce(sum(cache_read_tokens), 0) AS cacheReadTokens,
        coalesce(sum(cache_write_tokens), 0) AS cacheWriteTokens, coalesce(sum(cost_usd), 0.0) AS usd
        FROM token_usage`,
      )!,
    },
  };
}

function toSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
