/** UTF-16 units before and after a cut in which a character is searched. Longer ones are cut between code points. */
const AROUND = 64;

let segmenter: Intl.Segmenter | undefined;

/** The first `max` UTF-16 units of a text, or less: a character (grapheme cluster) is never divided. */
export function headOf(text: string, max: number): string {
  return max >= text.length ? text : text.slice(0, toBoundary(text, max).before);
}

/** The last `max` UTF-16 units of a text, or less: a character (grapheme cluster) is never divided. */
export function tailOf(text: string, max: number): string {
  return max >= text.length ? text : text.slice(toBoundary(text, text.length - max).after);
}

/** A text of at most `max` UTF-16 units. A longer one ends with an ellipsis. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${headOf(text, max - 1)}…`;
}

/** Pieces of at most `size` UTF-16 units, or of one longer character. */
export function splitText(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== '';) {
    const { before, after } = size >= rest.length ? { before: rest.length, after: 0 } : toBoundary(rest, size);
    pieces.push(rest.slice(0, before || after));
    rest = rest.slice(before || after);
  }
  return pieces;
}

/** The last boundary between two characters up to `at`, and the first one from there. */
function toBoundary(text: string, given: number): { before: number; after: number } {
  const at = Math.max(0, Math.trunc(given));
  if (at === 0 || isPlain(text.charCodeAt(at - 1), text.charCodeAt(at))) return { before: at, after: at };
  const from = at - AROUND <= 0 ? 0 : isLow(text, at - AROUND) ? at - AROUND - 1 : at - AROUND;
  let before = from;
  for (const { index } of (segmenter ??= new Intl.Segmenter()).segment(text.slice(from, at + AROUND))) {
    if (from + index === at) return { before: at, after: at };
    if (from + index > at) return between({ before, after: from + index }, text, { at, from });
    before = from + index;
  }
  const after = text.length <= at + AROUND ? text.length : at + AROUND;
  return between({ before, after }, text, { at, from });
}

/** A cluster that is longer than the window is cut between two of its code points. */
function between(
  found: { before: number; after: number },
  text: string,
  { at, from }: { at: number; from: number },
): { before: number; after: number } {
  const isLong = found.before === from || found.after - at >= AROUND;
  if (!isLong) return found;
  return isLow(text, at) ? { before: at - 1, after: at + 1 } : { before: at, after: at };
}

/** True for two units of which neither is a part of a longer character. */
function isPlain(left: number, right: number): boolean {
  return left < 0x300 && right < 0x300 && !(left === 0x0d && right === 0x0a);
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}
