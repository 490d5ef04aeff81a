import type { Language } from '../changes/language.ts';
import type { Token } from '../changes/token.ts';
import type { StyleKind } from './style-kind.ts';

type Normalizer = (tokens: readonly Token[], language: Language) => Token[];

/** Comments that a tool obeys. */
const DIRECTIVE =
  /eslint|prettier-ignore|@ts-|biome-|oxlint|istanbul|c8 |v8 ignore|webpack|@vite|type:\s*ignore|noqa|pylint|pragma|mypy|fmt:|yapf|ruff|isort|nosec|go:|\+build|nolint|nolint|NOLINT|@jsx|<reference|#!|rubocop|shellcheck|sourceMappingURL|@flow|coding[:=]|stylelint|@formatter|clang-format|SAFETY|@license|@preserve/;

export function isDirective({ text }: Token): boolean {
  return DIRECTIVE.test(text);
}

function isDocstring(tokens: readonly Token[], at: number): boolean {
  const isEdge = (token: Token | undefined) => token === undefined || token.kind === 'line';
  return /^r?(?:"""|''')/.test(tokens[at]!.text) && isEdge(tokens[at - 1]) && isEdge(tokens[at + 1]);
}

const dropComments: Normalizer = (tokens, { name }) =>
  dropEmptyLines(
    tokens.filter((token, at) => {
      if (token.kind === 'comment') return isDirective(token);
      return name !== 'py' || token.kind !== 'string' || !isDocstring(tokens, at);
    }),
  );

function dropEmptyLines(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (const token of tokens) if (token.kind !== 'line' || (kept.at(-1)?.kind ?? 'line') !== 'line') kept.push(token);
  return kept;
}

/** Strings whose quotes have no meaning get the same ones. */
const unifyQuotes: Normalizer = (tokens, language) =>
  tokens.map((token) => {
    if (token.kind !== 'string') return token;
    const plain = toPlainString(token.text, language);
    if (plain === undefined) return token;
    const prefix = /^[a-z]*/i.exec(token.text)![0];
    return { ...token, text: `${prefix}"${plain}"` };
  });

/** The content of a string that is the same in any quotes. */
function toPlainString(text: string, { name, hasQuoteStyles }: Language): string | undefined {
  if (name === 'py' && /^\w*(?:"""|''')/.test(text)) return undefined;
  const prefix = /^[a-z]*/i.exec(text)![0].length;
  const quote = text[prefix]!;
  const inner = text.slice(prefix + 1, -1);
  if (name === 'go') return inner.includes('\\') || /["`\n]/.test(inner) || quote === "'" ? undefined : inner;
  if (!hasQuoteStyles || quote === '/') return undefined;
  if (inner.includes('\n')) return undefined;
  if (quote === '`' && inner.includes('${')) return undefined;
  if ((name === 'sh' || name === 'rb') && /[$\\`!#"']/.test(inner)) return undefined;
  if (name === 'yaml' || name === 'toml') return /[\\"']/.test(inner) ? undefined : inner;
  // Escapes of quotes are the only ones that depend on the quotes.
  return inner.replaceAll(/\\(['"`])/g, '$1');
}

const dropCommas: Normalizer = (tokens, { name }) => {
  if (name === 'json' || name === 'yaml' || name === 'toml') return [...tokens];
  return tokens.filter((token, at) => {
    const close = tokens[at + 1]?.text;
    if (token.text !== ',' || !close || !/^[)\]}]$/.test(close) || tokens[at - 1]?.text === ',') return true;
    // `(x,)` is a tuple.
    return name === 'py' && close === ')' && !hasOtherComma(tokens, at);
  });
};

/** True if the bracket that is closed after `at` has another comma, or belongs to a call. */
function hasOtherComma(tokens: readonly Token[], at: number): boolean {
  let depth = 0;
  for (let i = at - 1; i >= 0; i--) {
    const { text, kind } = tokens[i]!;
    if (kind !== 'sign') continue;
    if (/^[)\]}]$/.test(text)) depth += 1;
    else if (/^[([{]$/.test(text)) {
      if (depth > 0) depth -= 1;
      else
        return (
          /^[\p{L}_][\p{L}\p{N}_]*$|^[)\]]$/u.test(tokens[i - 1]?.text ?? '') &&
          !/^(?:return|in|yield)$/.test(tokens[i - 1]!.text)
        );
    } else if (text === ',' && depth === 0) return true;
  }
  return false;
}

/** Semicolons at the end of a line, unless the next line would continue it. */
const dropSemicolons: Normalizer = (tokens, { name }) => {
  if (name !== 'js' && name !== 'ts') return [...tokens];
  return tokens.filter((token, at) => {
    const next = tokens[at + 1];
    if (token.text !== ';' || token.kind !== 'sign') return true;
    if (next === undefined || next.text === '}') return false;
    return next.line === token.line || /^[([`+\-/*,.]/.test(next.text);
  });
};

const unifyKeywords: Normalizer = (tokens, { name }) =>
  tokens.map((token) => {
    if (token.kind !== 'word') return token;
    if (name === 'sql') return { ...token, text: token.text.toLowerCase() };
    return /^[jt]s$/.test(name) && /^(?:var|const)$/.test(token.text) ? { ...token, text: 'let' } : token;
  });

const PYTHON_TYPES: Readonly<Record<string, string>> = {
  List: 'list',
  Dict: 'dict',
  Tuple: 'tuple',
  Set: 'set',
  FrozenSet: 'frozenset',
  Type: 'type',
};

/** `List[str]` and `Optional[str]` of Python, `Array<string>` of TypeScript, `interface{}` of Go. */
const unifyTypes: Normalizer = (tokens, { name }) => {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const text = (offset: number) => tokens[at + offset]?.text;
    if (name === 'py' && text(1) === '[' && Object.hasOwn(PYTHON_TYPES, token.text) && text(-1) !== '.') {
      result.push({ ...token, text: PYTHON_TYPES[token.text]! });
    } else if (name === 'py' && token.text === 'Optional' && text(1) === '[' && text(3) === ']') {
      result.push(tokens[at + 2]!, { ...token, kind: 'sign', text: '|' }, { ...token, text: 'None' });
      at += 3;
    } else if (name === 'ts' && token.text === 'Array' && text(1) === '<' && text(3) === '>') {
      result.push(tokens[at + 2]!, { ...token, kind: 'sign', text: '[' }, { ...token, kind: 'sign', text: ']' });
      at += 3;
    } else if (name === 'go' && token.text === 'interface' && text(1) === '{' && text(2) === '}') {
      result.push({ ...token, text: 'any' });
      at += 2;
    } else result.push(token);
  }
  return result;
};

/** `(x) => …` of one plain parameter. */
const dropParentheses: Normalizer = (tokens, { name }) => {
  if (name !== 'js' && name !== 'ts') return [...tokens];
  return tokens.filter((_, at) => {
    const isArrowAt = (open: number) =>
      tokens[open]?.text === '(' &&
      tokens[open + 1]?.kind === 'word' &&
      tokens[open + 2]?.text === ')' &&
      tokens[open + 3]?.text === '=>' &&
      (tokens[open - 1]?.kind !== 'word' || /^(?:async|return)$/.test(tokens[open - 1]!.text));
    return !isArrowAt(at) && !isArrowAt(at - 2);
  });
};

/** In this order. Each removes one kind of style. */
export const NORMALIZERS: readonly (readonly [StyleKind, Normalizer])[] = [
  ['comments', dropComments],
  ['semicolons', dropSemicolons],
  ['quotes', unifyQuotes],
  ['commas', dropCommas],
  ['keywords', unifyKeywords],
  ['types', unifyTypes],
  ['parentheses', dropParentheses],
];

/** `if x: return y` may have its body on the next line. */
function joinBodies(tokens: readonly Token[], { name }: Language): Token[] {
  return tokens.filter(({ kind }, at) => name !== 'py' || kind !== 'line' || tokens[at - 1]?.text !== ':');
}

/** The tokens without the style of these kinds. */
export function normalize(tokens: readonly Token[], language: Language, skipped: readonly StyleKind[] = []): Token[] {
  let current = [...tokens];
  for (const [kind, apply] of NORMALIZERS) if (!skipped.includes(kind)) current = apply(current, language);
  return trimLines(joinBodies(current, language));
}

/** Line ends at the start and the end of a part have no meaning. */
function trimLines(tokens: Token[]): Token[] {
  const from = tokens.findIndex(({ kind }) => kind !== 'line');
  const to = tokens.findLastIndex(({ kind }) => kind !== 'line');
  return from < 0 ? [] : tokens.slice(from, to + 1);
}
