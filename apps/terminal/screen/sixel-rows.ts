import { seal } from './safe-line.ts';

/** Begins the data of an image (a device control string). No text contains it after {@link toSafeLine}. */
const DATA = '\u001bP';
/** Moves down, which creates a row below the last one of the screen, and back up. */
const RESERVE_ROW = '\n\u001b[A\r';
const SAVE_CURSOR = '\u001b7';
const RESTORE_CURSOR = '\u001b8';

/**
 * The finished lines of an image, which needs one row less than the screen has. The image is drawn when all of its rows
 * exist and one more: where a terminal leaves the cursor, or a last row that it adds, then changes nothing.
 *
 * @param image.sixel The complete device control string.
 * @param image.rows Rows that it covers.
 * @param image.indent Columns at its left.
 */
export function toSixelRows({ sixel, rows, indent }: { sixel: string; rows: number; indent: number }): string[] {
  const up = rows > 1 ? `\u001b[${rows - 1}A` : '';
  const right = indent > 0 ? `\u001b[${indent}C` : '';
  const last = seal(`${RESERVE_ROW}${SAVE_CURSOR}${up}${right}${sixel}${RESTORE_CURSOR}`);
  return [...Array.from({ length: rows - 1 }, () => ''), last];
}

export function isSixelRow(line: string): boolean {
  return line.includes(DATA);
}
