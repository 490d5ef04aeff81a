import { visibleWidth, wrapTextWithAnsi } from '../screen/index.ts';
import type { Palette, Style } from '../style/palette.ts';
import { MIN_LINE, toRule } from '../style/rule.ts';

/** Columns that a frame takes at the left of its rows. */
export const FRAME_WIDTH = 2;

export interface FrameOptions {
  width: number;
  palette: Palette;
  /** Of the lines. */
  paint: Style;
  /** Printable, may contain colours. In the upper line if it fits, else in rows below it. */
  title: string;
  /** At the right end of the upper line, or in a row of its own. */
  end?: string;
  /** What keys do, in the lower line. The second list is used where the first one needs more than one row. */
  keys: readonly (readonly (readonly [key: string, text: string])[])[];
}

/**
 * Rows with a line above, below and at their left. There is none at their right: a terminal that becomes narrower wraps
 * long rows.
 *
 * @param rows At most `width - FRAME_WIDTH` columns each.
 */
export function toFrame(rows: readonly string[], options: FrameOptions): string[] {
  const { width, palette, paint, title, end = '', keys } = options;
  const room = Math.max(1, width - FRAME_WIDTH);
  const bar = paint('│');
  const fits = visibleWidth(title) + 5 + MIN_LINE <= width;
  const hasEnd = end !== '' && visibleWidth(title) + visibleWidth(end) + 9 + MIN_LINE <= width;
  const above = [
    ...(fits ? [] : wrapTextWithAnsi(title, room)),
    ...(end !== '' && !hasEnd ? wrapTextWithAnsi(end, room) : []),
  ];
  const lists = keys.map((list) => toKeyRows(list, room - 1, palette));
  const shown = lists.find((list) => list.length === 1) ?? lists.at(-1) ?? [];
  return [
    toRule(width, paint, { corner: '╭─', left: fits ? title : '', right: hasEnd ? end : '' }),
    ...[...above, ...rows].map((row) => `${bar} ${row}`.trimEnd()),
    ...shown.slice(0, -1).map((row) => `${bar}${row}`),
    toRule(width, paint, { corner: '╰─', left: shown.at(-1)?.trim() ?? '' }),
  ];
}

/** Keys with their meaning, in as many rows as they need. */
function toKeyRows(keys: readonly (readonly [key: string, text: string])[], width: number, palette: Palette): string[] {
  const rows: string[] = [];
  let row = '';
  let length = 0;
  for (const [key, text] of keys) {
    const next = visibleWidth(key) + visibleWidth(text) + (text === '' ? 2 : 3);
    if (length > 0 && length + next > width) {
      rows.push(row);
      row = '';
      length = 0;
    }
    row += ` ${palette.accent(key)}${text === '' ? '' : ` ${palette.muted(text)}`} `;
    length += next;
  }
  return row === '' ? rows : [...rows, row];
}
