import { headOf, tailOf } from '../../protocol/index.ts';

/** What a tool left out of its own output. */
const OMITTED = /\[… (\d+) characters omitted …\]/g;

/** Cuts a long text to about `max` characters: 60 % head, the number of characters left out, 30 % tail. */
export function cutOutput(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = headOf(text, Math.floor(max * 0.6));
  const tail = tailOf(text, Math.floor(max * 0.3));
  const missing = countMissing(text.slice(head.length, text.length - tail.length));
  return `${head}\n\n[… ${missing} characters left out …]\n\n${tail}`;
}

/** The characters of a part of an output, with those that the tool left out before. */
function countMissing(part: string): number {
  const notes = [...part.matchAll(OMITTED)];
  return notes.reduce((count, [note, omitted]) => count - note.length + Number(omitted), part.length);
}
