import { stripVTControlCharacters } from 'node:util';

/** A line that begins another block than a paragraph, as far as its beginning shows it. */
const BLOCK =
  /^ {0,3}(?:[-+*](?:\s|$)|>|#{1,6}(?:\s|$)|\||[-=]{2,}|[*_~]{3,}|`{3,}|\d{1,9}[.)](?:\s|$)|<[a-z/!?]|\$\$|\\\[|\[[^\]]*\]:)/i;
/** An item of a list that is in no other list. */
const ITEM = /^(?:[-+*]|\d{1,9}[.)])\s/;
/** A first word that is complete, so that it shows which block it begins. */
const COMPLETE = /^\S+\s|^\S{24}/;
/** A character of two columns, before and after which a row can end. */
const WIDE = /[\u1100-\u115f\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60]/;
/** Characters after which a mark of Markdown that is not closed counts as text. */
const MAX_OPEN = 400;
/** How many rows are tried as the last final one. */
const TRIES = 3;

/**
 * The number of characters at the beginning of a growing Markdown text that fill complete rows which later text does not
 * change; 0 if there are none. The rest can be rendered alone, as the end of the same paragraph or list.
 *
 * A line below that makes the text a heading or a table is not awaited: then only the look of the rows differs.
 *
 * @param toRows Renders a text.
 */
export function countFinal(text: string, toRows: (text: string) => readonly string[]): number {
  const ends = listEnds(text);
  if (ends.length === 0) return 0;
  const shown = toRows(text).map(toVisible);
  let most = shown.length - 1;
  for (let tries = 0; tries < TRIES && most > 0; tries++) {
    const end = findEnd(ends, (at) => toRows(text.slice(0, at)).length <= most);
    if (end === undefined) return 0;
    const [first, rest] = [text.slice(0, end), text.slice(end)].map((part) => toRows(part).map(toVisible));
    if ([...first!, ...rest!].join('\n') === shown.join('\n')) return end;
    most = first!.length - 1;
  }
  return 0;
}

function toVisible(row: string): string {
  return stripVTControlCharacters(row).trim();
}

/** The last one that fits. If one fits, those before it do too. */
function findEnd(ends: readonly number[], fits: (end: number) => boolean): number | undefined {
  let [from, to] = [0, ends.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (fits(ends[middle]!)) from = middle + 1;
    else to = middle;
  }
  return from === 0 ? undefined : ends[from - 1];
}

/** Offsets at which the text can be divided: between words of a paragraph, in no mark of Markdown, and before items. */
function listEnds(text: string): number[] {
  const ends: number[] = [];
  let isParagraph = !BLOCK.test(text);
  let at = 0;
  let word = 0;
  while (at < text.length) {
    const space = /^\s+/.exec(text.slice(at, at + 100))?.[0] ?? '';
    if (space !== '') {
      at += space.length;
      word = at;
      const rest = text.slice(at, at + 40);
      if (space.includes('\n') && BLOCK.test(rest)) {
        isParagraph = false;
        if (space.endsWith('\n') && ITEM.test(rest)) ends.push(at);
      } else if (isParagraph && COMPLETE.test(rest) && !BLOCK.test(rest)) ends.push(at);
      continue;
    }
    const next = skip(text, at);
    if (next === undefined && text.length - at < MAX_OPEN) {
      // Without its marks, this word can fit into the row above.
      if (ends.at(-1) === word) ends.pop();
      break;
    }
    const isWide = WIDE.test(text[at]!) && isParagraph && at > 0 && text.length - at > 2;
    if (isWide && !BLOCK.test(text.slice(at, at + 40))) ends.push(at);
    at = next ?? at + 1;
  }
  return ends;
}

/** The offset after a character, or after what a mark at it encloses. Undefined: it may still be closed. */
function skip(text: string, at: number): number | undefined {
  const mark = /^(?:`+|\*+|_+|~~|\\[([]?|\[|<(?=[a-z/!?])|\$(?!\d))/i.exec(text.slice(at, at + 20))?.[0];
  if (mark === undefined) return at + 1;
  const inside = at + mark.length;
  const next = text[inside];
  if (next === undefined) return undefined;
  if (mark === '\\') return inside + 1;
  if (mark === '[') return skipLink(text, inside);
  if (mark === '<') return after(text, '>', inside);
  if (mark.startsWith('\\')) return after(text, mark === '\\(' ? '\\)' : '\\]', inside);
  if (mark.startsWith('`')) return after(text, mark, inside);
  const isText = /\s/.test(next) || (mark.startsWith('_') && /\w/.test(text[at - 1] ?? ''));
  return isText ? inside : after(text, mark, inside);
}

/** Brackets are a link if parentheses follow. */
function skipLink(text: string, inside: number): number | undefined {
  const end = after(text, ']', inside);
  if (end === undefined || text[end] === undefined) return undefined;
  return text[end] === '(' ? after(text, ')', end) : end;
}

function after(text: string, mark: string, from: number): number | undefined {
  const at = text.indexOf(mark, from);
  return at < 0 ? undefined : at + mark.length;
}
