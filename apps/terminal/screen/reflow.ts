/**
 * What a terminal does with long rows when it becomes narrower. `all` wraps each of them, and the cursor stays at its
 * character. `others` is xterm.js: it cuts the row of the cursor and wraps the others, and moves the cursor down by each row
 * that it adds, also by those below the cursor, and up by those that it removes. `none` cuts all.
 */
export type Reflow = 'all' | 'others' | 'none';

/** The rows of a frame in a terminal that has wrapped them. */
export interface ShownRows {
  /** Columns of the window. */
  width: number;
  /** Columns of each row as it was written, and the rows that it has become. */
  rows: readonly { length: number; count: number }[];
  /** The row of the cursor, counted from the top as they are now. */
  cursor: number;
  /** The row and the column at which the cursor was left. */
  left: { row: number; column: number };
}

/** Rows of a text of so many columns. */
export function toCount(length: number, width: number): number {
  return Math.max(1, Math.ceil(length / width));
}

/** Rows of a frame as they were written. */
export function toShownRows(lengths: readonly number[], width: number, left: ShownRows['left']): ShownRows {
  return { width, rows: lengths.map((length) => ({ length, count: 1 })), cursor: left.row, left };
}

/** Sum of the rows. */
export function countRows({ rows }: ShownRows): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** The same rows in a window of another width. */
export function reflowRows(shown: ShownRows, width: number, reflows: Reflow): ShownRows {
  if (width === shown.width || reflows === 'none') return { ...shown, width };
  if (reflows === 'others') return width < shown.width ? wrapOthers(shown, width) : joinOthers(shown, width);
  const rows = shown.rows.map(({ length }) => ({ length, count: toCount(length, width) }));
  const { row, column } = shown.left;
  const above = rows.slice(0, row).reduce((sum, { count }) => sum + count, 0);
  return { ...shown, width, rows, cursor: above + Math.floor(column / width) };
}

/** From the last row to the first one: the cursor is in the row that has its number at that time. */
function wrapOthers(shown: ShownRows, width: number): ShownRows {
  const rows = [...shown.rows];
  let { cursor } = shown;
  let top = countRows(shown);
  for (let index = rows.length - 1; index >= 0; index--) {
    const { length, count } = rows[index]!;
    top -= count;
    if (cursor >= top && cursor < top + count) {
      rows[index] = { length: Math.min(length, count * width), count };
      continue;
    }
    const next = Math.max(count, toCount(length, width));
    rows[index] = { length, count: next };
    cursor += next - count;
  }
  return { ...shown, width, rows, cursor };
}

function joinOthers(shown: ShownRows, width: number): ShownRows {
  let top = 0;
  let removed = 0;
  const rows = shown.rows.map(({ length, count }) => {
    const hasCursor = shown.cursor >= top && shown.cursor < top + count;
    top += count;
    const next = hasCursor ? count : Math.min(count, toCount(length, width));
    removed += count - next;
    return { length, count: next };
  });
  return { ...shown, width, rows, cursor: Math.max(0, shown.cursor - removed) };
}
