import { COLUMNS, type RowTable, type RowValues } from '../../shared/projected-rows.ts';
import { toStorable } from './storable.ts';

/** What replaces a question with the same id: it is open again. */
const REPLACES = ['answer', 'answered_by', 'note', 'answered_at'];

/** One statement that adds rows in their order. The ids grow with it. */
export function toInsertRows(table: RowTable, rows: readonly RowValues[]): [text: string, values: unknown[]] {
  return [INSERTS[table], Object.keys(COLUMNS[table]).map((_, at) => rows.map((row) => toStorable(row[at])))];
}

const INSERTS = Object.fromEntries(
  Object.entries(COLUMNS).map(([table, columns]) => {
    const names = Object.keys(columns).join(', ');
    const arrays = Object.values(columns).map((type, at) => `$${at + 1}::${type}[]`);
    const insert = `INSERT INTO ${table} (${names}) SELECT ${names}
      FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS added(${names}, nth) ORDER BY nth`;
    return [table, table === 'approvals' ? `${insert} ${toReplace(Object.keys(columns))}` : insert];
  }),
) as Record<RowTable, string>;

function toReplace(columns: readonly string[]): string {
  const changed = columns.filter((column) => column !== 'id' && column !== 'session_id');
  const set = [...changed.map((column) => `${column} = excluded.${column}`), ...REPLACES.map((one) => `${one} = NULL`)];
  return `ON CONFLICT (id, session_id) DO UPDATE SET ${set.join(', ')}`;
}
