import { statSync } from 'node:fs';
import { isKlausError } from '@klaus/core/protocol';
import { Database } from '../database.ts';
import { PAGE_SIZE } from '../open-database.ts';

export type Row<Column extends string> = Record<Column, string | number | null>;

/**
 * Copies the rows of a table of a damaged database in one transaction.
 *
 * @param options.isSaved False for a row that is omitted. Default: all rows are copied.
 * @returns The copied rows; null when the table cannot be read.
 */
export function copyTable<Column extends string>(
  target: Database,
  file: string,
  options: { table: string; columns: readonly Column[]; isSaved?: (row: Row<Column>) => boolean },
): Row<Column>[] | null {
  const { table, columns, isSaved = () => true } = options;
  const names = columns.join(', ');
  const saved = readRows<Row<Column>>(file, table, names)?.filter(isSaved);
  if (!saved) return null;
  const sql = `INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
  target.transaction(() => {
    for (const row of saved) target.run(sql, ...columns.map((column) => row[column]));
  });
  return saved;
}

/**
 * All rows of a table, read by SQLite: a row on a stray page may be a deleted one. Null when the table cannot be read;
 * empty when the database is older than the table.
 */
function readRows<T>(file: string, table: string, columns: string): T[] | null {
  return readDamaged(file, (source) => {
    const known = source.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table);
    return known === undefined ? [] : source.all<T>(`SELECT ${columns} FROM ${table} ORDER BY id`);
  });
}

/** What `read` returns for a damaged database; null when SQLite cannot read it. */
export function readDamaged<T>(file: string, read: (source: Database) => T): T | null {
  let source: Database | undefined;
  try {
    // SQLite treats an empty file as a new database and would delete its write-ahead log.
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < PAGE_SIZE) return null;
    source = new Database(file, { readOnly: true });
    return read(source);
  } catch (error) {
    if (isKlausError(error)) return null;
    throw error;
  } finally {
    source?.close();
  }
}
