import { COLUMNS, type RowTable, type RowValues } from '../../shared/projected-rows.ts';
import type { Database } from '../database.ts';

const INSERTS = Object.fromEntries(
  Object.entries(COLUMNS).map(([table, columns]) => {
    const names = Object.keys(columns);
    return [table, `INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`];
  }),
) as Record<RowTable, string>;

/** Adds a row of a projection. A question with the same id and session is replaced. */
export function insertRow(database: Database, table: RowTable, values: RowValues): void {
  database.run(INSERTS[table], ...values);
}
