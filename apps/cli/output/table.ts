import { toLine } from '@klaus/sdk/printable';
import { err, out } from './sink.ts';

/**
 * Columns of text, each as wide as its widest cell; the last one gets the rest of the line.
 *
 * @param width Characters of a line; 0 means that nothing is cut, for programs. Default: the terminal of standard output.
 */
export function toTable(rows: Iterable<readonly string[]>, width = out.columns): string {
  const table = createTable(width);
  for (const row of rows) table.add([...row]);
  return [...table.toChunks()].join('');
}

/** Lines that are written at once: a write copies its text. */
const CHUNK = 1_000;

/** Characters of a cell. */
const MAX_CELL = 10_000;

/** What a cell has to change: all but visible ASCII with single spaces. */
const UNUSUAL = /[^ -~]| {2}/;

/** There can be thousands of rows, and most cells are equal to the one above: its padded text is used again. */
function createTable(width: number) {
  const rows: string[][] = [];
  const widths: number[] = [];
  const padded: { cell: string; text: string }[] = [];
  const pad = (cell: string, column: number): string => {
    const before = padded[column];
    if (before?.cell === cell) return before.text;
    const text = cell.padEnd(widths[column]! + 2);
    padded[column] = { cell, text };
    return text;
  };
  const toLineOf = (row: readonly string[]): string => {
    const last = row.length - 1;
    let line = '';
    for (let column = 0; column < last; column++) line += pad(row[column]!, column);
    line += row[last] ?? '';
    return width > 0 && line.length > width ? `${line.slice(0, width - 1)}…\n` : `${line}\n`;
  };
  /** Makes the cells of some rows printable. They are tested as one text, because most need no change. */
  const clean = (from: number): void => {
    const chunk = rows.slice(from, from + CHUNK);
    const isUsual = !UNUSUAL.test(chunk.map((row) => row.join('')).join(''));
    for (const row of chunk)
      for (let column = 0; column < row.length; column++) {
        const cell = row[column]!;
        const text = isUsual && cell.length <= MAX_CELL ? cell : toLine(cell, MAX_CELL);
        row[column] = text;
        if (!(text.length <= widths[column]!)) widths[column] = text.length;
      }
  };
  return {
    add: (row: string[]): void => void rows.push(row),
    *toChunks(): Iterable<string> {
      for (let at = 0; at < rows.length; at += CHUNK) clean(at);
      for (let at = 0; at < rows.length; at += CHUNK)
        yield rows
          .slice(at, at + CHUNK)
          .map(toLineOf)
          .join('');
    },
  };
}

/** Prints a list: as a table, or as NDJSON, which is written while it is read. `empty` goes to standard error. */
export function printRows<T>(
  items: Iterable<T>,
  view: { json: true | undefined; head: readonly string[]; toRow: (item: T) => string[]; empty: string },
): void {
  const { json, head, toRow, empty } = view;
  if (json) {
    for (const item of items) out.json(item);
    return;
  }
  const table = createTable(out.columns);
  let isEmpty = true;
  table.add([...head]);
  for (const item of items) {
    table.add(toRow(item));
    isEmpty = false;
  }
  if (isEmpty) err.write(`${empty}\n`);
  else for (const chunk of table.toChunks()) out.write(chunk);
}
