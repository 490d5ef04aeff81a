import { statSync } from 'node:fs';
import { isKlausError } from '@klaus/core/protocol';
import { Database } from '../database.ts';
import { PAGE_SIZE } from '../open-database.ts';

/**
 * All rows of a table, read by SQLite: a row on a stray page may be a deleted one. Null when the table cannot be read;
 * empty when the database is older than the table.
 */
export function readRows<Row>(file: string, { table, sql }: { table: string; sql: string }): Row[] | null {
  let source: Database | undefined;
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < PAGE_SIZE) return null;
    source = new Database(file, { readOnly: true });
    const known = source.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table);
    return known === undefined ? [] : source.all<Row>(sql);
  } catch (error) {
    if (isKlausError(error)) return null;
    throw error;
  } finally {
    source?.close();
  }
}
