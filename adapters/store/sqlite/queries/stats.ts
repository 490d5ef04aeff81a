import { statSync } from 'node:fs';
import type { StoreStats } from '@klaus/core/agent';
import type { Blobs } from '../log/blobs.ts';
import { COUNTED_TABLES } from '../../shared/counted-tables.ts';
import { TOTAL_USAGE } from '../../shared/usage-sums.ts';
import type { Database } from '../database.ts';

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
    tables: COUNTED_TABLES.map((name) => ({ name, rows: rows(name) })),
    sessions: database
      .all<{ status: string; count: number }>(
        'SELECT status, count(*) AS count FROM sessions GROUP BY status ORDER BY status',
      )
      .map((row) => ({ ...row })),
    usage: { ...database.get<StoreStats['usage']>(TOTAL_USAGE)! },
  };
}

function toSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
