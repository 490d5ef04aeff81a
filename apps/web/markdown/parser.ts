import { Lexer, Marked, type Token, type Tokens, type TokenizerAndRendererExtension, type TokenizerThis } from 'marked';

/** A formula. `isDisplay`: on a line of its own. */
export interface MathToken {
  type: 'math';
  raw: string;
  text: string;
  isDisplay: boolean;
}

/** A reference to a footnote. */
export interface NoteToken {
  type: 'note';
  raw: string;
  label: string;
}

/** The text of a footnote. */
export interface NoteTextToken {
  type: 'noteText';
  raw: string;
  label: string;
  tokens: Token[];
}

/** A part that the reader opens. */
export interface DetailsToken {
  type: 'details';
  raw: string;
  isOpen: boolean;
  /** Empty without a summary. */
  summary: Token[];
  tokens: Token[];
}

/** Levels of details and footnotes in each other. Further ones are text. */
const MAX_DEPTH = 4;
let depth = 0;

const DISPLAY = /^(?:\$\$((?:(?!\$\$)[\s\S]){1,8000}?)\$\$|\\\[((?:(?!\\\])[\s\S]){1,4000}?)\\\])/;
const BLOCK = new RegExp(`^ {0,3}(?:${DISPLAY.source.slice(1)})[ \\t]*(?:\\n+|$)`);
/** Not a price, and not a variable of a shell: the marks touch the formula, and no word character touches the marks. */
const INLINE =
  /^(?:\$(?![\s$])((?:[^$\\\n]|\\[\s\S]|\n(?!\s*\n))*?[^\s$\\]|[^\s$\\])\$(?![\w$])|\\\(((?:(?!\\\))[^\n]){1,2000}?)\\\))/;
const INLINE_START = /(?<![\w$\\])\$(?=\S)|\\[([]/;

/** Words between two amounts, such as `10, or 15` of `$10, or 15$`. */
function isProse(math: string): boolean {
  return /^\d/.test(math) && /(?:^|\s)[a-z]{2,}(?:\s|$)/i.test(math.replaceAll(/\\[a-z]+\s*\{[^{}]*\}/gi, ''));
}

const mathBlock: TokenizerAndRendererExtension = {
  name: 'mathBlock',
  level: 'block',
  start: (text) => /\n {0,3}(?:\$\$|\\\[)/.exec(text)?.index,
  tokenizer(text) {
    const found = BLOCK.exec(text);
    if (!found) return undefined;
    const math = (found[1] ?? found[2] ?? '').trim();
    return { type: 'math', raw: found[0], text: math, isDisplay: true } satisfies MathToken;
  },
};

const mathInline: TokenizerAndRendererExtension = {
  name: 'math',
  level: 'inline',
  start: (text) => INLINE_START.exec(text)?.index,
  tokenizer(text) {
    const display = DISPLAY.exec(text);
    const found = display ?? INLINE.exec(text);
    if (!found) return undefined;
    const math = (found[1] ?? found[2] ?? '').trim();
    if (found[0].startsWith('$') && isProse(math)) return undefined;
    return { type: 'math', raw: found[0], text: math, isDisplay: display !== null } satisfies MathToken;
  },
};

const noteText: TokenizerAndRendererExtension = {
  name: 'noteText',
  level: 'block',
  start: (text) => /\n\[\^/.exec(text)?.index,
  tokenizer(text) {
    const found = /^\[\^([^\]\s]{1,64})\]:[ \t]*([^\n]*(?:\n+(?: {2,}|\t)[^\n]+|\n(?!\s|\[\^)[^\n]+)*)(?:\n+|$)/.exec(
      text,
    );
    if (!found || depth >= MAX_DEPTH) return undefined;
    const [raw, label = '', body = ''] = found;
    const tokens = toInner(this, body.replaceAll(/\n(?: {2,4}|\t)/g, '\n'));
    return { type: 'noteText', raw, label, tokens } satisfies NoteTextToken;
  },
};

const note: TokenizerAndRendererExtension = {
  name: 'note',
  level: 'inline',
  start: (text) => text.indexOf('[^'),
  tokenizer(text) {
    const found = /^\[\^([^\]\s]{1,64})\](?!:)/.exec(text);
    return found ? ({ type: 'note', raw: found[0], label: found[1]! } satisfies NoteToken) : undefined;
  },
};

const details: TokenizerAndRendererExtension = {
  name: 'details',
  level: 'block',
  start: (text) => /\n {0,3}<details/i.exec(text)?.index,
  tokenizer(text) {
    const head = /^ {0,3}<details(\s+open(?:="[^"]*")?)?\s*>/i.exec(text);
    if (!head || depth >= MAX_DEPTH) return undefined;
    const start = head[0].length;
    const { end, next } = findEnd(text, start);
    const raw = text.slice(0, next) + (/^[ \t]*\n*/.exec(text.slice(next))?.[0] ?? '');
    const summary = /^\s*<summary\s*>([\s\S]*?)<\/summary\s*>/i.exec(text.slice(start, end));
    const body = text.slice(start + (summary?.[0].length ?? 0), end);
    return {
      type: 'details',
      raw,
      isOpen: head[1] !== undefined,
      summary: summary ? this.lexer.inlineTokens(summary[1]!.trim(), []) : [],
      tokens: toInner(this, body),
    } satisfies DetailsToken;
  },
};

function toInner(self: TokenizerThis, body: string): Token[] {
  depth += 1;
  try {
    return self.lexer.blockTokens(`${body.trim()}\n`, []);
  } finally {
    depth -= 1;
  }
}

/** Where the element ends that is open at `from`; the end of the text if it is not closed. */
function findEnd(text: string, from: number): { end: number; next: number } {
  let open = 1;
  for (const { 0: tag, 1: isEnd, index } of text.slice(from).matchAll(/<(\/?)details\b[^<>]*>/gi)) {
    open += isEnd ? -1 : 1;
    if (open === 0) return { end: from + index, next: from + index + tag.length };
  }
  return { end: text.length, next: text.length };
}

const extended = new Marked({ extensions: [mathBlock, mathInline, noteText, note, details] }).defaults;
const plain = new Marked().defaults;

/** What only the extensions know. A text without it is parsed without them, which is faster. */
const EXTENDED = /\$|\\[([]|\[\^|<details/i;

const toLexer = (text: string): Lexer => new Lexer(EXTENDED.test(text) ? extended : plain);

/** Quotes or lists in each other, for which the parser has no limit. */
const TOO_DEEP = /^(?:[ \t]*>){40}/m;

/** The blocks of a text, without their inline content. */
export function lexBlocks(text: string): Token[] {
  return TOO_DEEP.test(text) ? toPlain(text) : toLexer(text).blockTokens(text);
}

/** All tokens of a text. */
export function lex(text: string): Token[] {
  return TOO_DEEP.test(text) ? toPlain(text) : toLexer(text).lex(text);
}

function toPlain(text: string): Token[] {
  return [{ type: 'code', raw: text, text, lang: '' } satisfies Tokens.Code];
}
