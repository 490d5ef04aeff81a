import { cutText } from '@klaus/sdk/cut-text';
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

/** All but visible ASCII: the cells of such a line may have to change. */
const UNUSUAL = /[^ -~]/;

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
    return line + (row[last] ?? '');
  };
  const measure = (row: readonly string[]): void => {
    for (let column = 0; column < row.length; column++)
      if (!(row[column]!.length <= widths[column]!)) widths[column] = row[column]!.length;
  };
  /** Makes the cells printable. */
  const clean = (): void => {
    widths.length = padded.length = 0;
    for (const row of rows) {
      for (let column = 0; column < row.length; column++) row[column] = toLine(row[column]!, MAX_CELL);
      measure(row);
    }
  };
  const cut = (line: string): string => (width > 0 ? cutText(line, width) : line);
  return {
    add(row: string[]): void {
      measure(row);
      rows.push(row);
    },
    *toChunks(): Iterable<string> {
      let lines = rows.map(toLineOf);
      // Complete lines are tested, because most need no change.
      if (lines.some((line) => UNUSUAL.test(line)) || widths.some((each) => each > MAX_CELL)) {
        clean();
        lines = rows.map(toLineOf);
      }
      for (let at = 0; at < lines.length; at += CHUNK)
        yield `${lines
          .slice(at, at + CHUNK)
          .map(cut)
          .join('\n')}\n`;
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
