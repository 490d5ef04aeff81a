import type { Context } from './continued-text.ts';
import { ListItems } from './list-items.ts';
import { skipMark } from './markdown-marks.ts';

/** A place at which a growing text can be divided. */
export interface TextEnd {
  at: number;
  /** True for the beginning of a line that also begins a row. */
  isLine: boolean;
  /** What the text after it needs in front of it. */
  toContext: () => Context;
}

/** A line that begins another block than a paragraph, as far as its beginning shows it. */
const BLOCK =
  /^ {0,3}(?:[-+*](?:\s|$)|>|#{1,6}(?:\s|$)|\||[-=]{2,}|[*_~]{3,}|`{3,}|\d{1,9}[.)](?:\s|$)|<[a-z/!?]|\$\$|\\\[|\[[^\]]*\]:)/i;
const FORMULA = /^\s*(?:\$\$|\\\[)/;
const HEADING = /^ {0,3}#{1,6}\s/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
const QUOTE = /^ {0,3}> ?/;
/** A first word that is complete, so that it shows which block it begins. */
const COMPLETE = /^\S+\s|^\S{24}/;
/** A character of two columns, before and after which a row can end. */
const WIDE = /[\u1100-\u115f\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60]/;
/** Characters after which a mark of Markdown that is not closed counts as text. */
const MAX_OPEN = 400;

interface Paragraph {
  start: number;
  before: string;
  /** Of a quote. */
  sign?: string;
}

interface CodeBlock {
  mark: string;
  start: number;
  before: string;
  line: string;
}

/**
 * The places after `from` at which a text can be divided: after lines of code, before items of lists, and between words of
 * paragraphs, in no mark of Markdown.
 *
 * @returns last What further text needs in front of it; undefined in code. isUndivided: true in a block that is not divided.
 */
export function listEnds(
  text: string,
  from: number,
): { ends: TextEnd[]; last: Context | undefined; isUndivided: boolean } {
  const ends: TextEnd[] = [];
  const items = new ListItems();
  let paragraph: Paragraph | undefined;
  let code: CodeBlock | undefined;
  let isOther = false;
  const endParagraph = (end: number): void => {
    if (paragraph && end > from) ends.push(...listWords(text.slice(0, end), paragraph, end === text.length));
    paragraph = undefined;
  };
  const openCode = (mark: string, at: { start: number; end: number; before: string }): void => {
    code = { mark, start: at.start, before: at.before, line: `${' '.repeat(items.content)}x` };
    endCodeLine(code, at.end);
  };
  const endCodeLine = ({ start, before, line: codeLine }: CodeBlock, at: number): void => {
    const toContext = (): Context => ({ before: before + text.slice(start, at), codeLine });
    ends.push({ at, isLine: true, toContext });
  };
  for (let start = 0, end = 0; start < text.length; start = end) {
    const length = text.indexOf('\n', start);
    end = length < 0 ? text.length : length + 1;
    const line = text.slice(start, end).trimEnd();
    const isComplete = length >= 0;
    const indent = line.length - line.trimStart().length;
    if (code) {
      if (isCodeEnd(line, code.mark)) code = undefined;
      else if (isComplete) endCodeLine(code, end);
      continue;
    }
    if (line === '' || line.trim() === '>') {
      endParagraph(start);
      isOther = false;
      continue;
    }
    const mark = FENCE.exec(line.slice(indent))?.[0];
    if (mark !== undefined) {
      endParagraph(start);
      items.leave(indent);
      if (isComplete) openCode(mark, { start, end, before: items.toText() });
      else isOther = true;
      continue;
    }
    const isInText = paragraph !== undefined && items.isEmpty && !/^ *(?:[-+*]|1[.)]) /.test(line);
    const item = isInText || RULE.test(line) ? undefined : items.enter(text.slice(start, end));
    if (item) {
      endParagraph(start);
      const { before } = item;
      if (start > 0) ends.push({ at: start, isLine: true, toContext: () => ({ before }) });
      const inside = line.slice(item.text);
      const fence = FENCE.exec(inside)?.[0];
      isOther = fence === undefined && BLOCK.test(inside);
      if (fence !== undefined && isComplete) openCode(fence, { start, end, before });
      else if (fence === undefined && !isOther) paragraph = { start: start + item.text, before: items.toTextBefore() };
      continue;
    }
    const quote = QUOTE.exec(line)?.[0] ?? '';
    const isBlock = BLOCK.test(line.slice(quote === '' ? indent : quote.length));
    if (isOther || (paragraph && !isBlock && (quote === '' || paragraph.sign !== undefined))) continue;
    endParagraph(start);
    if (FORMULA.test(line)) break;
    if (HEADING.test(line)) continue;
    items.leave(indent);
    isOther = isBlock || (quote !== '' && !items.isEmpty);
    if (isOther) continue;
    paragraph =
      quote === ''
        ? { start: start + indent, before: items.toTextBefore() }
        : { start: start + quote.length, before: '', sign: '> ' };
  }
  const last = code ? undefined : { before: paragraph?.before ?? '', sign: paragraph?.sign };
  endParagraph(text.length);
  return { ends: ends.filter(({ at }) => at > from), last, isUndivided: isOther };
}

function isCodeEnd(line: string, mark: string): boolean {
  const word = line.trim();
  return word.startsWith(mark) && word.replaceAll(mark[0]!, '') === '';
}

/** @param isLast True if the paragraph can still grow. */
function listWords(text: string, { start, before, sign }: Paragraph, isLast: boolean): TextEnd[] {
  const ends: TextEnd[] = [];
  const end = (at: number): number => ends.push({ at, isLine: false, toContext: () => ({ before, sign }) });
  const spaces = sign ? /^(?:\n {0,3}> ?|\s)+/ : /^\s+/;
  let at = start;
  let word = at;
  while (at < text.length) {
    const space = spaces.exec(text.slice(at, at + 100))?.[0] ?? '';
    if (space !== '') {
      at += space.length;
      word = at;
      const rest = text.slice(at, at + 40);
      if (COMPLETE.test(rest) && !BLOCK.test(rest)) end(at);
      continue;
    }
    const next = skipMark(text, at);
    if (next === undefined && isLast && text.length - at < MAX_OPEN) {
      // Without its marks, this word can fit into the row above.
      if (ends.at(-1)?.at === word) ends.pop();
      break;
    }
    const isWide = WIDE.test(text[at]!) && at > start && text.length - at > 2;
    if (isWide && !BLOCK.test(text.slice(at, at + 40))) end(at);
    at = next ?? at + 1;
  }
  return ends;
}
