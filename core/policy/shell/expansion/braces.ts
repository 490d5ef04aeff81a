const MOST_WORDS = 1024;
const LONGEST_WORD = 2048;

/**
 * Brace expansion of a word as it is written, quotes and all: `a{b,c}` → `ab`, `ac`; `{1..3}` → `1`, `2`, `3`.
 * Undefined if there would be too many words.
 */
export function expandBraces(raw: string): string[] | undefined {
  if (raw.length > LONGEST_WORD) return undefined;
  const out: string[] = [];
  // A stack of the words to expand; `from` is where the next brace may begin.
  const open: { text: string; from: number }[] = [{ text: raw, from: 0 }];
  let work = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    if (++work > MOST_WORDS * 4 || out.length > MOST_WORDS) return undefined;
    const group = findGroup(next.text, next.from);
    if (!group) {
      out.push(next.text);
      continue;
    }
    const { start, end, items } = group;
    if (items.length > MOST_WORDS) return undefined;
    for (const item of items.toReversed()) {
      open.push({ text: next.text.slice(0, start) + item + next.text.slice(end), from: start });
    }
  }
  return out;
}

interface Group {
  start: number;
  /** Index after the closing brace. */
  end: number;
  items: string[];
}

/** The first group outside quotes and `${`. */
function findGroup(text: string, from: number): Group | undefined {
  for (let at = from; at < text.length; at++) {
    const next = skipQuoted(text, at);
    if (next > at) at = next - 1;
    else if (text[at] === '{') {
      const group = readGroup(text, at);
      if (group) return group;
    }
  }
  return undefined;
}

const QUOTED = /\\[^]?|'[^']*'?|"(?:[^"\\]|\\[^])*"?|`(?:[^`\\]|\\[^])*`?/y;

/** Index after the quoted text or `$` expansion that begins at `at`; `at` itself if none begins there. */
function skipQuoted(text: string, at: number): number {
  QUOTED.lastIndex = at;
  if (QUOTED.test(text)) return QUOTED.lastIndex;
  const opening = text[at + 1];
  if (text[at] !== '$' || (opening !== '{' && opening !== '(')) return at;
  const closing = opening === '{' ? '}' : ')';
  let depth = 0;
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === opening) depth++;
    else if (text[end] === closing && --depth === 0) return end + 1;
  }
  return text.length;
}

function readGroup(text: string, start: number): Group | undefined {
  const items: string[] = [];
  let from = start + 1;
  let depth = 0;
  for (let at = start + 1; at < text.length; at++) {
    const next = skipQuoted(text, at);
    if (next > at) {
      at = next - 1;
      continue;
    }
    const char = text[at];
    if (char === '{') depth++;
    else if (char === ',' && depth === 0) {
      items.push(text.slice(from, at));
      from = at + 1;
    } else if (char === '}') {
      if (depth-- > 0) continue;
      const last = text.slice(from, at);
      if (items.length > 0) return { start, end: at + 1, items: [...items, last] };
      const range = readRange(last);
      return range && { start, end: at + 1, items: range };
    }
  }
  return undefined;
}

function readRange(text: string): string[] | undefined {
  const match = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])(?:\.\.(-?\d{1,9}))?$/.exec(text);
  const [, first = '', last = '', by] = match ?? [];
  const letters = /[a-zA-Z]/.test(first);
  if (!match || letters !== /[a-zA-Z]/.test(last)) return undefined;
  const start = letters ? first.charCodeAt(0) : Number(first);
  const end = letters ? last.charCodeAt(0) : Number(last);
  const step = Math.max(1, Math.abs(Number(by ?? 1)));
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  const out: string[] = [];
  for (let count = 0; count <= Math.abs(end - start) / step && count <= MOST_WORDS; count++) {
    const value = start + (end >= start ? step : -step) * count;
    out.push(letters ? String.fromCharCode(value) : String(value).padStart(width, '0'));
  }
  return out;
}
