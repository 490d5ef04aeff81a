import { toLine } from '@klaus/sdk/printable';
import { out } from './sink.ts';

/**
 * Columns of text, each as wide as its widest cell; the last one gets the rest of the line.
 *
 * @param width Characters of a line; 0 means that nothing is cut, for programs.
 */
export function toTable(rows: readonly (readonly string[])[], width: number): string {
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
      return `${width > 0 ? toLineEnd(line, width) : line}\n`;
    })
    .join('');
}

function toLineEnd(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** The width of the terminal of standard output; 0 if it is not a terminal. */
export function outputWidth(): number {
  return out.columns;
}
