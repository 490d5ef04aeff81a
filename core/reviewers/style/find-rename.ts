import type { Token } from '../changes/token.ts';

export interface Rename {
  from: string;
  to: string;
}

const KEYWORDS = new Set(
  'if else for while do switch case default break continue return throw try catch finally new delete typeof instanceof in of void this super class extends implements interface type enum function async await yield import export from as const let var static public private protected readonly abstract true false null undefined def elif except lambda pass raise with not and or is None True False self cls global nonlocal assert del func struct map chan go defer select package range nil int string bool float fn mut pub impl trait match use mod crate let end then begin rescue require'.split(
    ' ',
  ),
);

/** Makes the word that follows it, or that it follows, a name of its own. */
const DECLARES = /^(?:const|let|var|def|function|class|func|fn|type|interface|enum|struct|for|as)$/;

/**
 * The names that one part has in place of those of the other, if that is their only difference: consistent, with a
 * declaration of each name in the part, and without a word that has a meaning of its own.
 */
export function findRenames(a: readonly Token[], b: readonly Token[]): Rename[] | undefined {
  if (a.length !== b.length) return undefined;
  const to = new Map<string, string>();
  const from = new Map<string, string>();
  for (const [at, { text, kind }] of a.entries()) {
    const other = b[at]!;
    if (kind !== other.kind) return undefined;
    if (kind !== 'word' && kind !== 'string') {
      if (text !== other.text) return undefined;
      continue;
    }
    if (kind === 'string') {
      if (text === other.text) continue;
      // Names in templates are compared completely.
      if (!text.startsWith('`') || !isRenamedTemplate(text, other.text, to)) return undefined;
      continue;
    }
    if ((to.get(text) ?? other.text) !== other.text || (from.get(other.text) ?? text) !== text) return undefined;
    to.set(text, other.text);
    from.set(other.text, text);
  }
  const renames = [...to].filter(([old, fresh]) => old !== fresh).map(([old, fresh]) => ({ from: old, to: fresh }));
  if (renames.length === 0) return undefined;
  const isFine = renames.every(
    (rename) => isName(rename.from) && isName(rename.to) && isDeclared(a, rename.from) && !to.has(rename.to),
  );
  return isFine ? renames : undefined;
}

function isRenamedTemplate(text: string, other: string, to: ReadonlyMap<string, string>): boolean {
  let changed = text;
  for (const [old, fresh] of to)
    changed = changed.replaceAll(new RegExp(`(?<![\\w$.])${escape(old)}(?![\\w$])`, 'g'), () => fresh);
  return changed === other;
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

export function isName(word: string): boolean {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(word) && !KEYWORDS.has(word);
}

/** A name of a library, such as `Math.min`, has no declaration here. */
export function isDeclared(tokens: readonly Token[], name: string): boolean {
  return tokens.some(({ text }, at) => {
    if (text !== name || tokens[at - 1]?.text === '.') return false;
    const next = tokens[at + 1]?.text;
    const before = tokens[at - 1]?.text ?? '';
    return (
      DECLARES.test(before) || next === ':=' || (next === '=' && startsStatement(tokens, at)) || isParameter(tokens, at)
    );
  });
}

function startsStatement(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before === undefined || before.kind === 'line' || before.line < tokens[at]!.line;
}

/** In the parentheses after the name of a function. */
function isParameter(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1, depth = 0; i >= 0 && at - i < 60; i--) {
    const { text } = tokens[i]!;
    if (text === ')') depth += 1;
    if (text !== '(') continue;
    if (depth-- > 0) continue;
    return /^(?:def|function|func|fn)$/.test(tokens[i - 2]?.text ?? '') || tokens[i - 1]?.text === 'function';
  }
  return false;
}
