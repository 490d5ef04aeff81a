import { createView, type TextView } from '../dump-columns.ts';

/** What a program puts before each line: numbers, a path with a number, the marks of a difference. */
const DECORATION =
  /^(?:[^\s:"'=]{1,200}[:-]\d{1,7}[:-][ \t]?|[ \t]{0,8}\d{1,7}(?:[:\t-][ \t]?|[ ]{1,2}|[ \t]{0,2}[|│][ \t]?)|[<>|][ \t]|[+-])/;
const ESCAPE = /\\(?<mark>[nrt"'\\/])/g;
const MEANINGS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
/** Lines at the beginning that say whether a text is of this kind. */
const LOOKED_AT = 40;
/** A literal with a text of several lines, or one that is printed by itself; source has short ones. */
const LITERAL = /\\n.{1,4000}\\n|^[bu]?["'{[(].{0,8000}?\\n["']/;

let last: { text: string; views: readonly TextView[] } | undefined;

/**
 * The text as it was before a program numbered its lines or wrote it as a literal; none where neither is so. What
 * goes over several lines, or begins one, is found there alone.
 */
export function toPlainViews(text: string): readonly TextView[] {
  if (last?.text === text) return last.views;
  const lines = toFirstLines(text);
  const views: TextView[] = [];
  const decorated = lines.filter((line) => DECORATION.test(line)).length;
  if (decorated > 0 && decorated * 3 >= lines.length) views.push(toUndecorated(text));
  if (lines.some((line) => LITERAL.test(line))) views.push(toUnescaped(text));
  last = { text, views };
  return views;
}

function toFirstLines(text: string): string[] {
  const lines: string[] = [];
  for (let from = 0; from < text.length && lines.length < LOOKED_AT;) {
    const next = text.indexOf('\n', from);
    const end = next < 0 ? text.length : next;
    if (end > from) lines.push(text.slice(from, Math.min(end, from + 8_192)));
    from = end + 1;
  }
  return lines;
}

function toUndecorated(text: string): TextView {
  const view = createView(text);
  for (let from = 0; from < text.length;) {
    const next = text.indexOf('\n', from);
    const end = next < 0 ? text.length : next + 1;
    const skipped = DECORATION.exec(text.slice(from, end))?.[0].length ?? 0;
    view.add([from + skipped, end]);
    from = end;
  }
  return view.end();
}

function toUnescaped(text: string): TextView {
  const view = createView(text);
  let from = 0;
  for (const match of text.matchAll(ESCAPE)) {
    view.add([from, match.index]);
    const meaning = MEANINGS[match.groups?.['mark'] ?? ''];
    from = match.index + match[0].length - (meaning === undefined ? 1 : 0);
    if (meaning !== undefined) view.put(meaning);
  }
  view.add([from, text.length]);
  return view.end();
}
