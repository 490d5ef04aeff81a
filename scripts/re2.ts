import rewritePattern from 'regexpu-core';

interface Expression {
  pattern: string;
  flags: string;
}

/** Flags for a part of an expression, such as `(?i:…)`. */
const MODIFIERS = /\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/;

/**
 * The same expression without inline flags. Node 22 does not support them, and Node 24.21 misses matches with them: in `RAPIDAPI:` it finds `RAPID` by `/(?i:x|[a-z]*?api:|rapid)/`, and all of it by `/x|[a-z]*?api:|rapid/i`.
 */
export function withoutModifiers({ pattern, flags }: Expression): Expression {
  if (!MODIFIERS.test(pattern)) return { pattern, flags };
  let left = flags;
  const plain = rewritePattern(pattern, flags, { modifiers: 'transform', onNewFlags: (given) => (left = given) });
  return { pattern: plain, flags: left };
}

/**
 * Translates a regular expression of Go (RE2) to JavaScript's. Flags in the middle of a group apply up to the end
 * of that group in Go; here they become a separate group.
 *
 * @returns Source and flags for `new RegExp`.
 * @source https://github.com/google/re2/wiki/Syntax
 */
export function fromRe2(source: string): Expression {
  const leading = /^\(\?([ims]+)\)/.exec(source);
  const flags = leading?.[1] ?? '';
  const rest = source.slice(leading?.[0].length ?? 0);
  let out = '';
  /** For each open group the flags that were switched on in its middle, in order. */
  const open: string[][] = [[]];
  for (let at = 0; at < rest.length;) {
    const token = readToken(rest, at);
    at += token.length;
    const inline = /^\(\?(-?[ims]+)\)$/.exec(token)?.[1];
    if (inline !== undefined) {
      // A flag of the complete expression needs no group.
      if (inline !== flags) {
        open.at(-1)!.push(inline);
        out += `(?${inline}:`;
      }
    } else if (token === '|') {
      const inner = open.at(-1)!;
      out += `${')'.repeat(inner.length)}|${inner.map((it) => `(?${it}:`).join('')}`;
    } else if (token === ')') {
      out += ')'.repeat((open.pop() ?? []).length + 1);
    } else {
      if (token.startsWith('(')) open.push([]);
      out += toJavaScript(token);
    }
  }
  return { pattern: out + ')'.repeat(open[0]?.length ?? 0), flags };
}

/** An escape, a character class, the start of a group, or one character. */
function readToken(source: string, at: number): string {
  const rest = source.slice(at);
  const found = /^(?:\\x\{[0-9A-Fa-f]+\}|\\p\{[^}]*\}|\\[\s\S]|\(\?P?<\w+>|\(\?-?[ims]*-?[ims]*[:)]|\()/.exec(
    rest,
  )?.[0];
  if (found !== undefined) return found;
  if (!rest.startsWith('[')) return rest[0] ?? '';
  const named = /^\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/.exec(rest)?.[0];
  if (named === undefined) throw new Error(`a character class without an end: ${rest.slice(0, 40)}`);
  return named;
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
  space: '\\s',
};

function toJavaScript(token: string): string {
  if (token === '\\z') return '(?![\\s\\S])';
  if (token === '\\A') return '(?<![\\s\\S])';
  if (/^\\[pPQECa]/.test(token) || token.startsWith('\\x{')) throw new Error(`${token} has no translation`);
  if (token.startsWith('(?P<')) return `(?<${token.slice(4)}`;
  if (!token.startsWith('[') || token.length === 1) return token;
  // In Go, a bracket at the start is literal.
  const body = token.slice(1, -1).replace(/^(\^?)\]/, '$1\\]');
  const inner = body.replaceAll(/\[:(\w+):\]/g, (match, name: string) => {
    const range = POSIX[name];
    if (range === undefined) throw new Error(`${match} has no translation`);
    return range;
  });
  return `[${inner}]`;
}
