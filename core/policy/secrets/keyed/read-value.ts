/** A value in a text, without its quotes. */
export interface FoundValue {
  start: number;
  end: number;
  isQuoted: boolean;
}

/** The context of an unquoted value: where it ends, in addition to a space. */
export interface Surroundings {
  /** The quote of the string literal around the pair, such as a connection string. */
  quote?: string;
  /** `&` in a query, `;` in a connection string. */
  separator?: string;
}

const LONGEST = 8_192;
const OPENING = /(?:[rbuRBU]{1,2}|@|L)?(?<quote>\\{0,3}(?:"""|'''|["'`]))/y;
const SCHEME = /(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|bot)[ \t]+/iy;

/** The value that begins at an offset, up to its closing quote or, without one, to the next space. */
export function readValue(text: string, at: number, around: Surroundings): FoundValue | undefined {
  OPENING.lastIndex = at;
  const quote = OPENING.exec(text)?.groups?.['quote'];
  // The quote around the pair closes an empty value.
  if (quote !== undefined && quote !== around.quote) return readQuoted(text, OPENING.lastIndex, quote);
  const start = skipScheme(text, at);
  let end = toBareEnd(text, start, around);
  while (end > start && isTrailing(text, start, end)) end--;
  return end > start ? { start, end, isQuoted: false } : undefined;
}

function readQuoted(text: string, from: number, quote: string): FoundValue | undefined {
  const limit = Math.min(text.length, from + LONGEST);
  const isEscaping = quote === '"' || quote === "'" || quote === '`';
  for (let at = from; at < limit; at++) {
    const unit = text[at]!;
    if (unit === '\n' && quote.length === 1) return undefined;
    if (text.startsWith(quote, at)) {
      // Around a text of several lines.
      const inner = quote.length > 1 ? text.slice(from, at) : '';
      const start = skipScheme(text, from + inner.length - inner.trimStart().length);
      const end = at - (inner.length - inner.trimEnd().length);
      return start < end ? { start, end, isQuoted: true } : undefined;
    }
    if (unit === '\\' && isEscaping) at++;
  }
  return undefined;
}

function skipScheme(text: string, at: number): number {
  SCHEME.lastIndex = at;
  return SCHEME.test(text) ? SCHEME.lastIndex : at;
}

function toBareEnd(text: string, start: number, { quote, separator }: Surroundings): number {
  const limit = Math.min(text.length, start + LONGEST);
  for (let at = start; at < limit; at++) {
    const unit = text[at]!;
    if (unit === ' ' || unit === '\n' || unit === '\t' || unit === '\r') return at;
    if (quote !== undefined && (text.startsWith(quote, at) || isEscape(text, at))) return at;
    if (unit === separator || (unit === '<' && text[at + 1] === '/')) return at;
  }
  return limit;
}

/** A line break or tab that is written as an escape, inside of a text literal. */
function isEscape(text: string, at: number): boolean {
  return text[at] === '\\' && /[nrt"'\\]/.test(text[at + 1] ?? '');
}

const CLOSING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Characters that end the context of the value, not the value. */
function isTrailing(text: string, start: number, end: number): boolean {
  const last = text[end - 1]!;
  if (/[,;"'`\\]/.test(last)) return true;
  const opening = CLOSING[last];
  return opening !== undefined && !text.slice(start, end - 1).includes(opening);
}
