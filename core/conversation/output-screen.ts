import { applySgr, type TextStyle } from './text-style.ts';

export interface OutputSpan extends TextStyle {
  text: string;
}

/** One line. A new object after every change. */
export interface OutputLine {
  readonly spans: readonly OutputSpan[];
}

/** The screen of a terminal without a scrollback limit. */
export interface OutputScreen {
  /** Writes output. A sequence may be split across calls. */
  write(text: string): void;
  lines(): readonly OutputLine[];
}

interface Row {
  chars: string[];
  styles: TextStyle[];
  /** The cached line; undefined after a change. */
  made: OutputLine | undefined;
}

/** A complete escape sequence: CSI, OSC, other strings, and two characters. */
const SEQUENCE =
  /\u001b(?:\[([0-9;:?<=>!]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-OQ-WYZ\\`-~])/y;

/** Maximum length of an incomplete escape sequence. */
const MAX_PENDING = 4_096;

const TAB = 8;

interface Page {
  rows: Row[];
  style: TextStyle;
  row: number;
  column: number;
  /** First row of the page after the last clear. */
  top: number;
}

/**
 * Emulates a terminal: colours, carriage returns, backspaces and the cursor movements of progress bars. Other escape
 * sequences are ignored.
 */
export function createOutputScreen(): OutputScreen {
  const page: Page = { rows: [], style: {}, row: 0, column: 0, top: 0 };
  let pending = '';
  return {
    write(text) {
      const all = pending + text;
      pending = '';
      rowAt(page, page.row);
      for (let index = 0; index < all.length;) {
        const taken = take(page, all, index);
        if (taken === 0) {
          pending = all.slice(index);
          return;
        }
        index += taken;
      }
    },
    lines: () => page.rows.map((line) => (line.made ??= { spans: toSpans(line) })),
  };
}

/** Processes the character or sequence at an index. @returns Its length; 0 for an incomplete sequence. */
function take(page: Page, all: string, index: number): number {
  const char = all[index]!;
  if (char === '\u001b') {
    SEQUENCE.lastIndex = index;
    const match = SEQUENCE.exec(all);
    if (!match) return all.length - index <= MAX_PENDING ? 0 : 1;
    if (match[2] !== undefined) move(page, match[1] ?? '', match[2]);
    return match[0].length;
  }
  if (char < ' ' || char === '\u007f') {
    control(page, char);
    return 1;
  }
  const character = String.fromCodePoint(all.codePointAt(index)!);
  put(page, character);
  return character.length;
}

function rowAt({ rows }: Page, index: number): Row {
  while (rows.length <= index) rows.push({ chars: [], styles: [], made: undefined });
  return rows[index]!;
}

function touch(page: Page, index: number): Row {
  const found = rowAt(page, index);
  found.made = undefined;
  return found;
}

function put(page: Page, char: string): void {
  const line = touch(page, page.row);
  while (line.chars.length < page.column) {
    line.chars.push(' ');
    line.styles.push({});
  }
  line.chars[page.column] = char;
  line.styles[page.column] = page.style;
  page.column += 1;
}

function erase(page: Page, from: number, to = Number.POSITIVE_INFINITY): void {
  const line = touch(page, page.row);
  if (to >= line.chars.length) {
    line.chars.length = Math.min(line.chars.length, from);
    line.styles.length = line.chars.length;
    return;
  }
  line.chars.fill(' ', from, to);
  line.styles.fill({}, from, to);
}

/** Maximum movement of the cursor by one sequence, to limit memory. */
const MAX_STEP = 1_000;
const MAX_COLUMN = 10_000;

function move(page: Page, words: string, final: string): void {
  const [first = 0, second = 0] = words.split(';').map(Number);
  const by = Math.min(first || 1, MAX_STEP);
  const { rows, row, column, top } = page;
  if (final === 'm') page.style = applySgr(page.style, words);
  else if (final === 'A' || final === 'F') page.row = Math.max(top, row - by);
  else if (final === 'B' || final === 'E') page.row = Math.min(row + by, rows.length);
  else if (final === 'C') page.column = Math.min(Math.max(column, MAX_COLUMN), column + by);
  else if (final === 'D') page.column = Math.max(0, column - by);
  else if (final === 'G') page.column = by - 1;
  else if (final === 'H' || final === 'f') {
    page.row = Math.min(top + by - 1, rows.length);
    page.column = Math.min(second || 1, MAX_STEP) - 1;
  } else if (final === 'K') erase(page, first === 0 ? column : 0, first === 1 ? column + 1 : undefined);
  else if (final === 'J' && first === 0) {
    erase(page, column);
    rows.length = Math.min(rows.length, row + 1);
    // The previous page stays above, so that the user can scroll back.
  } else if (final === 'J' && first >= 2) [page.top, page.row, page.column] = [rows.length, rows.length, 0];
  if (final === 'E' || final === 'F') page.column = 0;
}

function control(page: Page, char: string): void {
  if (char === '\n') {
    page.row += 1;
    page.column = 0;
    rowAt(page, page.row);
  } else if (char === '\r') page.column = 0;
  else if (char === '\b') page.column = Math.max(0, page.column - 1);
  else if (char === '\t') {
    const to = page.column - (page.column % TAB) + TAB;
    while (page.column < to) {
      if (page.column < rowAt(page, page.row).chars.length) page.column += 1;
      else put(page, ' ');
    }
  }
}

function toSpans({ chars, styles }: Row): OutputSpan[] {
  const spans: OutputSpan[] = [];
  let from = 0;
  for (let to = 1; to <= chars.length; to++) {
    if (to < chars.length && styles[to] === styles[from]) continue;
    const last = spans.at(-1);
    const text = chars.slice(from, to).join('');
    if (last && isSame(last, styles[from]!)) last.text += text;
    else spans.push({ text, ...styles[from] });
    from = to;
  }
  return spans;
}

const PARTS = ['color', 'background', 'bold', 'dim', 'italic', 'underline', 'inverse'] as const;

function isSame(one: TextStyle, other: TextStyle): boolean {
  return PARTS.every((part) => one[part] === other[part]);
}

export function toPlainText(output: string): string {
  const screen = createOutputScreen();
  screen.write(output);
  return screen
    .lines()
    .map(({ spans }) => spans.map(({ text }) => text).join(''))
    .join('\n');
}
