import { toLine } from '@klaus/sdk/printable';
import { err, out } from './sink.ts';

/**
 * Columns of text, each as wide as its widest cell; the last one gets the rest of the line.
 *
 * @param width Characters of a line; 0 means that nothing is cut, for programs. Default: the terminal of standard output.
 */
export function toTable(rows: readonly (readonly string[])[], width = out.columns): string {
  const cells = rows.map((row) => row.map((cell) => toLine(cell, 10_000)));
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map((row) => {
      const line = row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!)))
        .join('  ');
      return `${width > 0 && line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`;
    })
    .join('');
}

/** Prints a list: as a table, or as NDJSON, which is written while it is read. `empty` goes to standard error. */
export function printRows<T>(
  items: Iterable<T>,
  view: { json: true | undefined; head: readonly string[]; toRow: (item: T) => readonly string[]; empty: string },
): void {
  const { json, head, toRow, empty } = view;
  if (json) {
    for (const item of items) out.json(item);
    return;
  }
  const rows = Array.from(items, toRow);
  if (rows.length === 0) err.write(`${empty}\n`);
  else out.write(toTable([head, ...rows]));
}
