import type { Palette } from '../style/palette.ts';

/** Keys with their meaning, in as many rows as they need. */
export function toKeyRows(
  keys: readonly (readonly [key: string, text: string])[],
  width: number,
  palette: Palette,
): string[] {
  const rows: string[] = [];
  let row = '';
  let length = 0;
  for (const [key, text] of keys) {
    const next = key.length + text.length + 4;
    if (length > 0 && length + next > width) {
      rows.push(row);
      row = '';
      length = 0;
    }
    row += ` ${palette.accent(key)} ${palette.muted(text)} `;
    length += next - 1;
  }
  return row === '' ? rows : [...rows, row];
}

/** The line above a dialog. It is short, because a terminal that becomes narrower wraps long lines. */
export function toRule(width: number): string {
  return '─'.repeat(Math.min(width, 24));
}
