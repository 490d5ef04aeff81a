import { headOf } from '@klaus/core/cut-text';

/** Longest line that is shown completely, in characters. */
const MAX_LINE = 400;
/** Characters of a longer line before and after a match. */
const AROUND = 150;
/** Matches of one line that are shown. */
const MAX_PLACES = 3;

/** A match in a line, in bytes of UTF-8. */
export interface Place {
  start: number;
  end: number;
}

/**
 * A line for a result: `12: text`, or of a long line the text around its matches, each with its column (from 1):
 * `12:3400: …text…`.
 *
 * @param sign What follows the number: `:` for a match, `-` for context.
 */
export function toShownLines(
  number: number,
  sign: ':' | '-',
  { text, places }: { text: string; places: readonly Place[] },
): string[] {
  const clean = text.replace(/\r?\n$/, '').replaceAll('\0', '?');
  if (clean.length <= MAX_LINE) return [`${number}${sign} ${clean}`];
  const windows = sign === ':' ? toWindows(text, places) : [];
  const size = `[${clean.length} characters]`;
  if (windows.length === 0) return [`${number}${sign} ${headOf(clean, MAX_LINE)}… ${size}`];
  const shown = windows.map(({ from, to, at }) => {
    const part = clean.slice(from, to).toWellFormed();
    return `${number}:${at + 1}: ${from > 0 ? '…' : ''}${part}${to < clean.length ? '…' : ''} ${size}`;
  });
  const more = places.length - windows.length;
  return more > 0 ? [...shown, `${number}: [${more} more matches in this line]`] : shown;
}

function toWindows(text: string, places: readonly Place[]): { from: number; to: number; at: number }[] {
  const bytes = Buffer.from(text);
  return places.slice(0, MAX_PLACES).map(({ start, end }) => {
    const at = bytes.toString('utf8', 0, start).length;
    const length = bytes.toString('utf8', start, end).length;
    return { from: Math.max(0, at - AROUND), to: at + Math.min(length, AROUND) + AROUND, at };
  });
}
