import type { Language } from './language.ts';

export interface Token {
  /** `line`: the end of a line that has a meaning. */
  kind: 'word' | 'string' | 'comment' | 'sign' | 'line';
  text: string;
  /** First and last line, from 0. */
  line: number;
  lastLine: number;
  /** Characters before the first token of the line. */
  indent: number;
}

const WORD = /[\p{L}\p{N}_$@][\p{L}\p{N}_$]*(?:\.\d+)?/uy;
const SIGN = /=>|===|!==|\.\.\.|:=|[=!<>]=|&&|\|\||\?\?|\?\.|->|::|[^\s]/uy;
const PREFIX = /^[rbfu]{1,2}$/i;
const CHARACTER = /'(?:\\[^\n']+|\\'|[^\\'\n])'/y;
/** After these, a slash starts a regular expression. */
const BEFORE_REGEX = /^(?:[(,=:[!&|?{};+\-*%<>~^]|=>|===|!==|&&|\|\||\?\?|return|typeof|case|of|in)$/;
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;

/** Reads tokens without a grammar. Undefined if the lines start or end inside a string or a comment. */
export function tokenize(lines: readonly string[], language: Language): Token[] | undefined {
  const opened = openComment(lines, language);
  return opened === undefined ? undefined : new Reader(opened, language).read();
}

/** Lines that begin inside a block comment whose lines start with `*` get its start. */
function openComment(lines: readonly string[], { blockComment }: Language): string | undefined {
  if (blockComment?.[0] !== '/*') return lines.join('\n');
  const end = lines.findIndex((line) => line.includes('*/'));
  const start = lines.findIndex((line) => line.includes('/*'));
  const isInside = end >= 0 && (start < 0 || start > end);
  if (!isInside) return lines.join('\n');
  if (!lines.slice(0, end + 1).every((line) => /^\s*\*/.test(line))) return undefined;
  return [lines[0]!.replace('*', '/*'), ...lines.slice(1)].join('\n');
}

class Reader {
  readonly #text: string;
  readonly #language: Language;
  readonly #tokens: Token[] = [];
  #at = 0;
  #line = 0;
  #indent = 0;
  #depth = 0;

  constructor(text: string, language: Language) {
    this.#text = text;
    this.#language = language;
    this.#indent = this.#readIndent();
  }

  read(): Token[] | undefined {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if (char === '\n') this.#endLine();
      else if (/\s/.test(char)) this.#at += 1;
      else if (!this.#readToken(char)) return undefined;
    }
    this.#addLineEnd();
    return this.#tokens;
  }

  #readToken(char: string): boolean {
    const { blockComment, lineComments, quotes, name } = this.#language;
    const rest = this.#text.slice(this.#at, this.#at + 4);
    if (blockComment && rest.startsWith(blockComment[0])) return this.#readUntil('comment', blockComment[1], 2);
    const mark = lineComments.find((each) => rest.startsWith(each));
    if (mark && this.#startsComment(mark)) {
      const end = this.#text.indexOf('\n', this.#at);
      return this.#add('comment', end < 0 ? this.#text.length : end);
    }
    if (name === 'py' && (rest.startsWith('"""') || rest.startsWith("'''")))
      return this.#readUntil('string', rest.slice(0, 3), 3);
    if (quotes.includes(char) && this.#startsString()) return this.#readString(char);
    if (char === "'" && !quotes.includes(char)) {
      CHARACTER.lastIndex = this.#at;
      const found = CHARACTER.exec(this.#text);
      if (found) return this.#add('string', this.#at + found[0].length);
    }
    if (char === '/' && /^[jt]s$/.test(name) && this.#mayStartRegex()) {
      REGEX.lastIndex = this.#at;
      const found = REGEX.exec(this.#text);
      if (found) return this.#add('string', this.#at + found[0].length);
    }
    return this.#readPlain();
  }

  #readPlain(): boolean {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text);
    if (word && this.#language.name === 'py' && PREFIX.test(word[0]) && /['"]/.test(this.#text[WORD.lastIndex] ?? ''))
      return this.#readPrefixed(word[0].length);
    if (word) return this.#add('word', this.#at + word[0].length);
    SIGN.lastIndex = this.#at;
    const sign = SIGN.exec(this.#text)?.[0] ?? this.#text[this.#at]!;
    if (/^[([{]$/.test(sign)) this.#depth += 1;
    if (/^[)\]}]$/.test(sign)) this.#depth = Math.max(0, this.#depth - 1);
    return this.#add('sign', this.#at + sign.length);
  }

  /** `f"…"` of Python. */
  #readPrefixed(length: number): boolean {
    const at = this.#at;
    this.#at += length;
    const quote = this.#text.slice(this.#at, this.#at + 3);
    const isRead =
      quote === '"""' || quote === "'''" ? this.#readUntil('string', quote, 3) : this.#readString(quote[0]!);
    if (isRead) this.#tokens.at(-1)!.text = this.#text.slice(at, this.#at);
    return isRead;
  }

  /** `https://` and `$#` are no comments. */
  #startsComment(mark: string): boolean {
    const before = this.#text[this.#at - 1];
    if (mark === '//') return before !== ':';
    return mark !== '#' || this.#language.name === 'py' || before === undefined || /\s/.test(before);
  }

  /** An apostrophe inside a plain scalar is no quote. */
  #startsString(): boolean {
    return this.#language.name !== 'yaml' || !/[\p{L}\p{N}]/u.test(this.#text[this.#at - 1] ?? '');
  }

  #mayStartRegex(): boolean {
    const last = this.#tokens.at(-1);
    return last === undefined || (last.kind !== 'string' && BEFORE_REGEX.test(last.text));
  }

  #readString(quote: string): boolean {
    const spans = quote === '`' || this.#language.name === 'sh' || this.#language.name === 'yaml';
    const isRaw = (quote === '`' && this.#language.name === 'go') || (quote === "'" && this.#language.name === 'sh');
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const char = this.#text[at]!;
      if (char === '\\' && !isRaw) at += 1;
      else if (char === '\n' && !spans) return false;
      else if (quote === '`' && char === '$' && this.#text[at + 1] === '{') {
        at = this.#skipBraces(at + 1);
        if (at < 0) return false;
      } else if (char === quote) return this.#add('string', at + 1);
    }
    return false;
  }

  /** The position of the closing brace; -1 without one, or if strings inside make it unclear. */
  #skipBraces(from: number): number {
    let depth = 0;
    for (let at = from; at < this.#text.length; at++) {
      const char = this.#text[at]!;
      if (char === '`') return -1;
      if (char === '{') depth += 1;
      if (char === '}' && --depth === 0) return at;
    }
    return -1;
  }

  #readUntil(kind: Token['kind'], end: string, skip: number): boolean {
    const at = this.#text.indexOf(end, this.#at + skip);
    return at >= 0 && this.#add(kind, at + end.length);
  }

  #add(kind: Token['kind'], end: number): true {
    const text = this.#text.slice(this.#at, end);
    const line = this.#line;
    this.#line += text.split('\n').length - 1;
    this.#tokens.push({ kind, text, line, lastLine: this.#line, indent: this.#indent });
    this.#at = end;
    return true;
  }

  #endLine(): void {
    this.#addLineEnd();
    this.#at += 1;
    this.#line += 1;
    this.#indent = this.#readIndent();
  }

  #addLineEnd(): void {
    const last = this.#tokens.at(-1);
    if (this.#language.lines === 'free' || this.#depth > 0 || !last || last.lastLine !== this.#line) return;
    if (last.kind !== 'line')
      this.#tokens.push({ kind: 'line', text: '\n', line: this.#line, lastLine: this.#line, indent: last.indent });
  }

  #readIndent(): number {
    let width = 0;
    while (this.#text[this.#at + width] === ' ' || this.#text[this.#at + width] === '\t') width += 1;
    return width;
  }
}
