import { err, out } from './sink.ts';
import { outputWidth, toTable } from './table.ts';

export interface RowsView<T> {
  /** One JSON object a line instead of a table. */
  json: boolean | undefined;
  head: readonly string[];
  toRow: (item: T) => readonly string[];
  /** Printed on standard error if there are no rows. */
  empty: string;
}

/** Prints a list: as a table, or as NDJSON, which is written while it is read. */
export function printRows<T>(items: Iterable<T>, { json, head, toRow, empty }: RowsView<T>): void {
  if (json) {
    for (const item of items) out.json(item);
    return;
  }
  const rows = Array.from(items, toRow);
  if (rows.length === 0) err.write(`${empty}\n`);
  else out.write(toTable([head, ...rows], outputWidth()));
}
