/** Text that was put together from parts of another. */
export interface TextView {
  text: string;
  /** For each part where it begins in the view and in the original. Ascending. */
  parts: { at: number; from: number; length: number }[];
}

/** A line of `xxd` (offset and colon, then data, then a readable column), or of `hexdump` and `od`. */
const LINE =
  /^[ \t]*[0-9a-f]{6,8}(?::[ \t]+(?<hex>\S.{0,100}?)(?:[ \t]{2,60}(?<ascii>.{1,16}))?|[ \t]+(?<data>\S.{0,160}?)(?:[ \t]{2,60}[|>](?<bar>.{1,64})[|<])?)[ \t\r]*$/dgim;
/** The cheap question first: most texts have no such line. */
const MAYBE = /^[ \t]*[0-9a-f]{6,8}(?::| )[ \t]*\S/im;

/**
 * The data and the readable column of a dump, each as one text, without the offsets and line breaks that cut a
 * value in two.
 *
 * @returns Nothing where the text has no such lines.
 */
export function toDumpColumns(text: string): TextView[] {
  if (!MAYBE.test(text)) return [];
  const data = createView();
  const readable = createView();
  for (const match of text.matchAll(LINE)) {
    const groups = match.indices?.groups ?? {};
    data.add(text, groups['hex'] ?? groups['data']);
    readable.add(text, groups['ascii'] ?? groups['bar']);
  }
  return [data, readable].map((view) => ({ text: view.chunks.join(''), parts: view.parts }));
}

function createView() {
  const chunks: string[] = [];
  const parts: TextView['parts'] = [];
  let at = 0;
  return {
    chunks,
    parts,
    add(text: string, span: readonly [from: number, to: number] | undefined): void {
      if (!span) return;
      const [from, to] = span;
      chunks.push(text.slice(from, to));
      parts.push({ at, from, length: to - from });
      at += to - from;
    },
  };
}

/** A span of a view as spans of the original. */
export function toOriginal({ parts }: TextView, start: number, end: number): { start: number; end: number }[] {
  return parts.flatMap(({ at, from, length }) => {
    const first = Math.max(start, at);
    const last = Math.min(end, at + length);
    return first < last ? [{ start: from + first - at, end: from + last - at }] : [];
  });
}
