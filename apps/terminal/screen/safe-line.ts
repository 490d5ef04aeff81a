import { randomUUID } from 'node:crypto';
import { CURSOR_MARKER } from '@earendil-works/pi-tui';

/** Known to this process alone, so that no text can have it. */
const SECRET = randomUUID();
/** Everything after it in a line is written as it is. It has no width. */
const SEAL = `\u001b_klaus:${SECRET}\u0007`;
/** The beginning of a link of the library, and that of a sealed one. */
const LINK = '\u001b]8;;';
const SEALED_LINK = `\u001b]8;id=${SECRET};`;

/** Visible ASCII needs no change, and is the most frequent text by far. */
const UNUSUAL = /[^ -~]/;
/**
 * Colours, the ends of links, the mark of the cursor, and what would act on the terminal: control characters except tab,
 * and marks that reorder text or break lines.
 */
const ACTING = new RegExp(
  [
    String.raw`\u001b\[([\d;]{0,64})m`,
    String.raw`(?:\u001b\]8;id=${SECRET};([!-~]{0,4096})|\u001b\]8;;)(?:\u0007|\u001b\\)`,
    CURSOR_MARKER,
    String.raw`[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]`,
  ].join('|'),
  'gu',
);
/** Bold to inverse, colours, and their ends. Nothing that hides a text or blinks. */
const COLORS =
  /^(?:(?:[0-479]|2[2-479]|[349][0-7]|10[0-7]|39|49|[34]8;5;\d{1,3}|[34]8;2;\d{1,3};\d{1,3};\d{1,3})(?:;|$))*$/;

/** Marks an image, or another sequence that this program has made, as safe to write. */
export function seal(sequence: string): string {
  return `${SEAL}${sequence}`;
}

/**
 * The end of a line: the rest of the row has the background of these codes. There are no characters in it, so a terminal
 * that becomes narrower wraps nothing of it, and a copy has no spaces at its end.
 *
 * @param codes SGR codes of a background, such as `48;5;22`.
 */
export function toEdge(codes: string): string {
  return seal(`\u001b[${codes}m\u001b[K\u001b[49m`);
}

/** Marks the links of a line as those of this program. */
export function sealLinks(line: string): string {
  return line.replaceAll(LINK, SEALED_LINK);
}

/**
 * A line as it may be written to the terminal: what is not sealed is text, of which only colours have an effect, and other
 * control characters are shown as `<1b>`.
 *
 * @param options.hasCursor True: the line keeps its mark of the cursor.
 */
function toSafeLine(given: string, { hasCursor }: { hasCursor: boolean }): string {
  if (!UNUSUAL.test(given)) return given;
  const at = given.indexOf(SEAL);
  const text = at < 0 ? given : given.slice(0, at);
  let isMarked = !hasCursor;
  const safe = text.replace(ACTING, (found, color: string | undefined, link: string | undefined) => {
    if (color !== undefined) return COLORS.test(color) ? found : show(found);
    if (link !== undefined) return `${LINK}${link}\u0007`;
    if (found.startsWith(LINK)) return `${LINK}\u0007`;
    if (found !== CURSOR_MARKER) return show(found);
    if (isMarked) return '';
    isMarked = true;
    return found;
  });
  return at < 0 ? safe : safe + given.slice(at + SEAL.length);
}

/** Every line that is written passes here last; see {@link toSafeLine}. @param hasCursor True: the last mark of the cursor stays. */
export function toSafeLines(lines: readonly string[], { hasCursor = false } = {}): string[] {
  const marked = hasCursor ? lines.findLastIndex((line) => line.includes(CURSOR_MARKER)) : -1;
  return lines.map((line, at) => toSafeLine(line, { hasCursor: at === marked }));
}

export function toSafeText(text: string): string {
  return toSafeLines(text.split('\n')).join('\n');
}

function show(text: string): string {
  return text.replace(/[^ -~]/gu, (character) => `<${character.codePointAt(0)!.toString(16).padStart(2, '0')}>`);
}
