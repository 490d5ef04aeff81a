import { toPrintable } from '@klaus/sdk/printable';
import { wrapTextWithAnsi } from '../screen/index.ts';

const TAB = '    ';

/** A text of a model, a file or a user, safe for the terminal, with tabs as spaces. */
export function toSafe(text: string): string {
  return toPrintable(text).replaceAll('\t', TAB);
}

/**
 * Wraps a text that may contain colours.
 *
 * @param options.first Before the first line. @param options.rest Before the others; as wide as `first`.
 */
export function wrap(
  text: string,
  width: number,
  { first = '', rest = first, indent = 0 }: { first?: string; rest?: string; indent?: number } = {},
): string[] {
  const lines = text.split('\n').flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width - indent)));
  return lines.map((line, index) => `${index === 0 ? first : rest}${line}`);
}

/** The first and the last lines of a text, and how many are between them. */
export function toEnds<T>(lines: readonly T[], { head, tail }: { head: number; tail: number }) {
  if (lines.length <= head + tail + 1) return { head: lines, hidden: 0, tail: [] };
  return { head: lines.slice(0, head), hidden: lines.length - head - tail, tail: tail === 0 ? [] : lines.slice(-tail) };
}
