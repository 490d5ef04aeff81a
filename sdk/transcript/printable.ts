import { headOf } from '@klaus/core/cut-text';
import { repairJson } from '@klaus/core/well-formed-json';

/**
 * Characters with which text of a model, a file or a command could control the terminal or hide from the reader: control
 * characters except line feed and tab, and marks that reorder or hide text.
 */
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * Makes text safe to print: control characters are shown as `<1b>`. CRLF becomes LF. It also works on chunks of a stream,
 * because it replaces single characters only.
 */
export function toPrintable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(ACTING, (character) => `<${character.codePointAt(0)!.toString(16).padStart(2, '0')}>`);
}

/** Words of visible ASCII with one space between them: no character of it needs a change. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** One line of at most `max` characters: white space is folded, the end cut with an ellipsis. */
export function toLine(text: string, max: number): string {
  const line = PLAIN.test(text) ? text : toPrintable(text).replaceAll(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${headOf(line, Math.max(0, max - 1))}…`;
}

/**
 * A value as JSON without control characters: those that JSON does not escape, such as DEL, C1 and the marks that reorder
 * text, are written as `\u009b`, and halves of surrogate pairs, which are no valid Unicode, as U+FFFD.
 */
export function toSafeJson(value: unknown, indent?: number): string {
  return toSafeJsonText(JSON.stringify(value, undefined, indent));
}

/** The same for JSON text. Such characters occur in its strings alone. */
export function toSafeJsonText(json: string): string {
  return repairJson(json).replace(
    ACTING,
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}
