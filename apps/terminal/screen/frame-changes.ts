/** Erases from the first column of a row. In the first row and column, tmux would keep a copy in its scrollback. */
export const ERASE_BELOW = '\u001b[2K\u001b[C\u001b[J\r';
export const ERASE_LINE = '\u001b[2K';

/** Moves the cursor between two rows of a frame. */
export function toRow(from: number, to: number): string {
  if (to === from) return '';
  return to > from ? `\u001b[${to - from}B` : `\u001b[${from - to}A`;
}

/** The output that turns one frame into the next, and the row at which it leaves the cursor. */
export function toChanges(given: { shown: readonly string[]; rows: readonly string[]; row: number }): {
  text: string;
  row: number;
} {
  const { shown, rows } = given;
  let { row } = given;
  let text = '';
  /** Rows that exist on the screen. */
  let existing = Math.max(1, shown.length);
  rows.forEach((line, index) => {
    if (line === shown[index]) return;
    if (index < existing) text += toRow(row, index);
    else {
      text += `${toRow(row, existing - 1)}${'\r\n'.repeat(index - existing + 1)}`;
      existing = index + 1;
    }
    text += `\r${ERASE_LINE}${line}`;
    row = index;
  });
  if (rows.length < shown.length) {
    text += `${toRow(row, rows.length)}\r${ERASE_BELOW}`;
    row = rows.length;
  }
  return { text, row };
}
