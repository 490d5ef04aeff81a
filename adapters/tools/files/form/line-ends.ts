import { diffArrays } from 'diff';

/** A line end that is not `\n`. */
export type LineEnd = '\r\n' | '\r';

/** Most edits for which lines are compared, because the cost is quadratic. */
const MAX_EDIT_LENGTH = 4_000;

/** The end of every line, if all are the same and not `\n`. */
export function toLineEnd(text: string): LineEnd | undefined {
  if (!text.includes('\r')) return undefined;
  if (!text.includes('\n')) return '\r';
  return text.includes('\r\n') && !/(^|[^\r])\n|\r(?!\n)/.test(text) ? '\r\n' : undefined;
}

/** With `\n` as the only line end. */
export function toLf(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** The text for a model, which cannot see other line ends: a lone `\r` of a file with other line ends is left. */
export function toShownLines(text: string): string {
  return toLineEnd(text) === '\r' ? text.replaceAll('\r', '\n') : text.replaceAll('\r\n', '\n');
}

/** What a complete new text keeps of a file: byte-order mark, line ends, and whether it ends with a line break. */
export interface KeptText {
  text: string;
  /** What the result says about it. */
  notes: string[];
}

const BOM = '\uFEFF';

/** Gives a new text the byte-order mark, the line ends and the end of the old one. Line ends `\r\n` in it are kept. */
export function keepTextForm(given: string, present: string): KeptText {
  const [text, old] = [withoutMark(given), withoutMark(present)];
  const kept = keepLines(text, old);
  const isMarked = given.startsWith(BOM) || (present.startsWith(BOM) && text !== '');
  return isMarked ? { ...kept, text: BOM + kept.text } : kept;
}

function withoutMark(text: string): string {
  return text.startsWith(BOM) ? text.slice(1) : text;
}

function keepLines(text: string, old: string): KeptText {
  if (text === '' || old === '') return { text, notes: [] };
  const notes: string[] = [];
  let kept = text;
  if (!text.includes('\r')) kept = keepLineEnds(text, old);
  else if (old.includes('\n') && toLineEnd(text) !== toLineEnd(old))
    notes.push('the line ends are those of the new text');
  const end = /(?:\r\n|\n|\r)$/;
  if (end.test(kept) && !end.test(old)) {
    kept = kept.replace(end, '');
    notes.push('it still has no line break at its end');
  } else if (!end.test(kept) && end.test(old)) {
    kept += end.exec(old)![0];
    notes.push('it still ends with a line break');
  }
  return { text: kept, notes };
}

function keepLineEnds(text: string, old: string): string {
  const eol = toLineEnd(old);
  if (eol) return text.replaceAll('\n', eol);
  return old.includes('\r') ? keepMixedEnds(text, old) : text;
}

/** Unchanged lines keep their end; a new line has that of the line before it. */
function keepMixedEnds(text: string, old: string): string {
  const before = toLines(old);
  const after = toLines(text);
  const parts = diffArrays(
    before.map(({ line }) => line),
    after.map(({ line }) => line),
    { maxEditLength: MAX_EDIT_LENGTH },
  );
  // Nothing is known about lines that are completely different.
  let end = before.find((each) => each.end !== '')?.end ?? '\n';
  let at = 0;
  const lines: string[] = [];
  for (const { added, removed, value } of parts ?? [
    { added: true, removed: false, value: after.map(({ line }) => line) },
  ]) {
    for (const line of value) {
      if (!added) end = before[at++]!.end || end;
      if (!removed) lines.push(line + end);
    }
  }
  const joined = lines.join('');
  return after.at(-1)?.end === '' ? joined.slice(0, joined.length - end.length) : joined;
}

/** The lines with their ends; the last one has none if the text does not end with a line break. */
function toLines(text: string): { line: string; end: string }[] {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)]
    .map(([, line = '', end = '']) => ({ line, end }))
    .filter(({ line, end }) => line !== '' || end !== '');
}
