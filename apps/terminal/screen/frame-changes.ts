import { type Terminal, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { isSixelRow } from './sixel-rows.ts';

/** Erases from the first column of a row. In the first row and column, tmux would keep a copy in its scrollback. */
export const ERASE_BELOW = '\u001b[2K\u001b[C\u001b[J\r';
export const ERASE_LINE = '\u001b[2K';

/**
 * Moves the cursor between two rows of a frame, down to the first column. In a window that has become lower than the
 * frame, line feeds move as many rows down as the way back up has.
 */
export function toRow(from: number, to: number): string {
  if (to === from) return '';
  return to > from ? '\r\n'.repeat(to - from) : `\u001b[${from - to}A`;
}

/** The output that turns one frame into the next, and the row at which it leaves the cursor. */
export function toChanges(given: { shown: readonly string[]; rows: readonly string[]; row: number }): {
  text: string;
  row: number;
} {
  const { shown, rows } = given;
  let { row } = given;
  let text = '';
  rows.forEach((line, index) => {
    if (line === shown[index]) return;
    text += `${toRow(row, index)}\r${ERASE_LINE}${line}`;
    row = index;
  });
  if (rows.length < shown.length) {
    text += `${toRow(row, rows.length)}\r${ERASE_BELOW}`;
    row = rows.length;
  }
  return { text, row };
}

/** The output that turns all rows of the alternate screen into the next. */
export function toFullChanges(shown: readonly string[], rows: readonly string[]): string {
  const changed = rows.map((line, index) =>
    line === shown[index] ? '' : `\u001b[${index + 1};1H${ERASE_LINE}${line}`,
  );
  return changed.join('');
}

/** A line that is not longer than the window. */
export function toFit(line: string, width: number): string {
  return !isSixelRow(line) && visibleWidth(line) > width ? truncateToWidth(line, width, '') : line;
}

/** The size of a window, as `120x30`. */
export function toSize({ columns, rows }: Terminal): string {
  return `${columns}x${rows}`;
}
