import { stripVTControlCharacters } from 'node:util';
import { type Context, toContinuedRows, toOpenRows, type ToRows } from './continued-text.ts';
import { listEnds, type TextEnd } from './text-ends.ts';

/** A place in a text, and what the text after it needs in front of it. */
export interface Place extends Context {
  at: number;
}

/** The beginning of a text. */
export const START: Place = { at: 0, before: '' };

/** How many places are tried as the last final one. */
const TRIES = 3;

/**
 * The end of the text after a place that fills complete rows which later text does not change: lines of code, items
 * of lists, and rows of paragraphs. Undefined if there is none. There may be another one after it.
 *
 * A line below that makes a paragraph a heading or a table is not awaited, nor code that changes the colours of code
 * above it: then only the look of the rows differs.
 */
export function findFinal(text: string, from: Place, toRows: ToRows): Place | undefined {
  const { ends } = listEnds(text, from.at);
  if (ends.length === 0) return undefined;
  const toFirst = ({ at }: TextEnd, codeLine?: string): readonly string[] =>
    toOpenRows(from, text.slice(from.at, at), { codeLine, toRows });
  const all = toContinuedRows(from, text.slice(from.at), toRows).map(toVisible).join('\n');
  const check = (end: TextEnd): Place | undefined => {
    const context = end.toContext();
    const first = toFirst(end, context.codeLine);
    const rest = toContinuedRows(context, text.slice(end.at), toRows);
    const isSame = first.length > 0 && [...first, ...rest].map(toVisible).join('\n') === all;
    return isSame ? { ...context, at: end.at } : undefined;
  };
  const lines = ends.filter(({ isLine }) => isLine).slice(-TRIES);
  for (const end of lines.toReversed()) {
    const place = check(end);
    if (place) return place;
  }
  const words = ends.filter(({ isLine }) => !isLine);
  let most = all.split('\n').length - 1;
  for (let tries = 0; tries < TRIES && most > 0; tries++) {
    const end = findEnd(words, (one) => toFirst(one).length <= most);
    if (end === undefined) return undefined;
    const place = check(end);
    if (place) return place;
    most = toFirst(end).length - 1;
  }
  return undefined;
}

function toVisible(row: string): string {
  return stripVTControlCharacters(row).trimEnd();
}

/** The last one that fits. If one fits, those before it do too. */
function findEnd(ends: readonly TextEnd[], fits: (end: TextEnd) => boolean): TextEnd | undefined {
  let [from, to] = [0, ends.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (fits(ends[middle]!)) from = middle + 1;
    else to = middle;
  }
  return from === 0 ? undefined : ends[from - 1];
}
