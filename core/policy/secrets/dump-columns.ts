/** Text that was put together from parts of another. */
export interface TextView {
  text: string;
  /** For each part where it begins in the view and in the original. Ascending. */
  parts: { at: number; from: number; length: number }[];
}

/** A line of `xxd` (offset and colon, then data, then a readable column), or of `hexdump` and `od`. */
const LINE =
  /^[ \t]*[0-9a-f]{6,8}(?::[ \t]+(?<hex>\S.{0,100}?)(?:[ \t]{2,60}(?<ascii>.{1,16}))?|[ \t]+(?<data>\S.{0,160}?)(?:[ \t]{2,60}[|>](?<bar>.{1,64})[|<])?)[ \t\r]*$/dgim;
const TAB = 9;
const NEWLINE = 10;
const SPACE = 32;
const COLON = 58;

/**
 * The data and the readable column of a dump, each as one text, without the offsets and line breaks that cut a
 * value in two.
 *
 * @param bytes The text in UTF-8.
 * @returns Nothing where the text has no such lines.
 */
export function toDumpColumns(text: string, bytes: Uint8Array): TextView[] {
  if (!mayBeDump(bytes)) return [];
  const data = createView(text);
  const readable = createView(text);
  for (const match of text.matchAll(LINE)) {
    const groups = match.indices?.groups ?? {};
    data.add(groups['hex'] ?? groups['data']);
    readable.add(groups['ascii'] ?? groups['bar']);
  }
  return [data.end(), readable.end()];
}

/** The cheap question first: most texts have no line that begins with 6 to 8 hexadecimal digits and a space or colon. */
export function mayBeDump(bytes: Uint8Array): boolean {
  if (!bytes.includes(SPACE) && !bytes.includes(COLON)) return false;
  for (let line = 0; line < bytes.length;) {
    let at = line;
    while (bytes[at] === SPACE || bytes[at] === TAB) at++;
    const first = at;
    while (isHexadecimal(bytes[at])) at++;
    if (at - first >= 6 && at - first <= 8 && (bytes[at] === SPACE || bytes[at] === COLON)) return true;
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) return false;
    line = end + 1;
  }
  return false;
}

function isHexadecimal(byte: number | undefined): boolean {
  return (
    byte !== undefined && ((byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 102) || (byte >= 65 && byte <= 70))
  );
}

/** Puts a view of `text` together. */
export function createView(text: string) {
  const chunks: string[] = [];
  const parts: TextView['parts'] = [];
  let at = 0;
  const put = (chunk: string): void => {
    chunks.push(chunk);
    at += chunk.length;
  };
  return {
    /** Adds text that the original does not have. */
    put,
    /** Adds a span of the original. */
    add(span: readonly [from: number, to: number] | undefined): void {
      if (!span || span[1] <= span[0]) return;
      parts.push({ at, from: span[0], length: span[1] - span[0] });
      put(text.slice(...span));
    },
    end: (): TextView => ({ text: chunks.join(''), parts }),
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
