/** Control characters except line feed and tab, and marks that reorder text. */
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Marks of a terminal around a paste. */
export const PASTE_START = '\u001b[200~';
export const PASTE_END = '\u001b[201~';

const SPACE = 0x20;
const BACKSPACE = '\u007f';

/** A text as an input may hold it: without what would act on the terminal. */
export function toInputText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(ACTING, '');
}

/** The text of a paste; undefined for a key. */
export function toPastedText(data: string): string | undefined {
  return data.startsWith(PASTE_START) && data.endsWith(PASTE_END)
    ? data.slice(PASTE_START.length, -PASTE_END.length)
    : undefined;
}

/** The data of a terminal with its text as an input may hold it; a key that acts stays as it is. */
export function toSafeInput(data: string): string {
  const pasted = toPastedText(data);
  if (pasted !== undefined) return `${PASTE_START}${toInputText(pasted.replaceAll(/\r\n?/g, '\n'))}${PASTE_END}`;
  return isText(data) ? toInputText(data) : data;
}

/** True if the data of a terminal is text, not a key that acts. */
export function isText(data: string): boolean {
  return data.charCodeAt(0) >= SPACE && data !== BACKSPACE;
}

/** Characters that one paste can add to an input of one line. */
const MAX_LINE = 1_000;

/** What typed or pasted data adds to an input of one line, at most 1,000 characters; empty for a key that acts. */
export function toLineText(data: string): string {
  const text = toPastedText(data) ?? (isText(data) ? data : '');
  return toInputText(text.slice(0, MAX_LINE).toWellFormed()).replaceAll(/[\n\t]/g, ' ');
}

/** The text without its last character, as a reader counts them. */
export function withoutLast(text: string): string {
  const last = [...new Intl.Segmenter().segment(text)].at(-1);
  return text.slice(0, last?.index ?? 0);
}
