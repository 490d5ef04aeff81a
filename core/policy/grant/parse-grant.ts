import {
  AUTHORITY_KINDS,
  authoritySchema,
  FILE_RIGHTS,
  KlausError,
  toNearest,
  type Authority,
  type Grant,
} from '../../protocol/index.ts';
import { areCovered, unite } from './algebra.ts';
import { BUNDLE_NAMES, fromBundle, isBundleName } from './bundle.ts';
import { NOTHING_TEXT, toAuthorityText } from './grant-text.ts';
import { readTime } from './grant-time.ts';
import { toTokens, type Token } from './grant-words.ts';

export interface ParseGrantOptions {
  /** Absolute real path: the folder of bundles and of relative paths. */
  workspace: string;
  /** Unix milliseconds, for an expiry like `2h`. Default: only dates are read. */
  now?: number;
}

/** The syntax of each authority, for error messages. */
const FORMS: Readonly<Record<Authority['kind'], string>> = {
  fs: 'fs(path, rwx)',
  net: 'net(host, port)',
  exec: 'exec or exec(first words)',
  tool: 'tool(name)',
  secret: 'secret(name → host)',
  model: 'model(id, …)',
  spend: 'spend($5)',
  turns: 'turns(50)',
  spawn: 'spawn(depth, count)',
};

/** Words with a meaning that are not authorities. */
const KEYWORDS = ['expires', 'delegable:', NOTHING_TEXT];

/**
 * Reads what `toGrantText` writes, and bundle names: `file-operations web-access`, `fs(src, rw) · exec(npm test)
 * until 2h · expires 2026-12-01 · delegable: fs(src, r)`. Any separator is accepted.
 *
 * @throws KlausError `usage` with the word, its position and the closest valid word.
 */
export function parseGrant(text: string, options: ParseGrantOptions): Grant {
  const reader = createReader(text, options);
  const held: Authority[] = [];
  const delegable: Authority[] = [];
  let into = held;
  let expiresAt: number | undefined;
  for (let token = reader.take(); token; token = reader.take()) {
    if (token.text === ',' && token.kind === 'sign') continue;
    if (token.kind === 'word' && token.text === 'expires') {
      if (expiresAt !== undefined) reader.refuse(token.at, 'a grant expires once');
      expiresAt = reader.time();
    } else if (token.kind === 'word' && /^delegable:?$/.test(token.text)) {
      if (into === delegable) reader.refuse(token.at, '"delegable:" may occur once');
      into = delegable;
    } else if (token.kind !== 'word' || token.text !== NOTHING_TEXT) into.push(...reader.authorities(token));
  }
  if (!areCovered(delegable, held)) {
    const wide = delegable.find((one) => !areCovered([one], held))!;
    throw new KlausError('usage', `The grant delegates ${toAuthorityText(wide)}, but does not hold it.`, {
      hint: 'What is delegable must be held too: name it before "delegable:" as well.',
    });
  }
  return {
    authorities: held,
    ...(delegable.length === 0 ? {} : { delegable }),
    expiresAt,
  };
}

/** The same for several texts, such as an option given more than once: everything that any of them allows. */
export function parseGrants(texts: readonly string[], options: ParseGrantOptions): Grant {
  return unite(texts.map((text) => parseGrant(text, options)));
}

/**
 * Reads authorities alone, such as what is to be revoked. A kind alone means all of it if `widest` has an entry for it.
 *
 * @throws KlausError `usage`.
 */
export function parseAuthorities(
  text: string,
  options: ParseGrantOptions & { widest?: Readonly<Record<Authority['kind'], Authority>> },
): Authority[] {
  const reader = createReader(text, options);
  const out: Authority[] = [];
  for (let token = reader.take(); token; token = reader.take()) {
    if (token.text === ',' && token.kind === 'sign') continue;
    const kind = token.kind === 'word' && isKind(token.text) && !reader.isNextOpen() ? token.text : undefined;
    out.push(...(kind && options.widest ? [options.widest[kind]] : reader.authorities(token)));
  }
  return out;
}

function isKind(text: string): text is Authority['kind'] {
  return (AUTHORITY_KINDS as readonly string[]).includes(text);
}

type Refuse = (at: number, message: string, hint?: string) => never;

function createReader(text: string, options: ParseGrantOptions) {
  const refuse: Refuse = (at, message, hint) => {
    const place =
      text.length > 60 ? `${at > 30 ? '…' : ''}${text.slice(Math.max(0, at - 30), at + 30).toWellFormed()}` : text;
    throw new KlausError('usage', `In the grant "${place}", character ${at + 1}: ${message}.`, hint ? { hint } : {});
  };
  const tokens = toTokens(text, refuse);
  let next = 0;
  const isSign = (sign: string): boolean => tokens[next]?.kind === 'sign' && tokens[next]!.text === sign;
  /** The arguments of an authority: words between commas. */
  const readArguments = (open: Token): Token[][] => {
    const lists: Token[][] = [[]];
    next++;
    while (!isSign(')')) {
      const token = tokens[next++];
      if (!token || (token.kind === 'sign' && token.text === '('))
        return refuse(token?.at ?? text.length, `the bracket of ${open.text} is not closed`);
      if (token.kind === 'sign') lists.push([]);
      else lists.at(-1)!.push(token);
    }
    next++;
    return lists.length === 1 && lists[0]!.length === 0 ? [] : lists;
  };
  const time = (): number => {
    const token = tokens[next++];
    const ms = token && readTime(token.text, options.now);
    return ms ?? refuse(token?.at ?? text.length, 'a time is missing, such as 2026-12-01T12:00Z', 'Times are in UTC.');
  };
  return {
    refuse,
    time,
    take: () => tokens[next++],
    isNextOpen: () => isSign('('),
    /** The authorities that begin with this token. */
    authorities(first: Token): Authority[] {
      const known = first.kind === 'word' && (isKind(first.text) || isBundleName(first.text));
      if (!known)
        return refuse(first.at, `${JSON.stringify(first.text)} is no authority and no bundle`, suggest(first.text));
      const lists = isSign('(') ? readArguments(first) : undefined;
      if (isBundleName(first.text)) {
        if (lists) refuse(first.at, `the bundle ${first.text} takes nothing in brackets`);
        return withTime(fromBundle(first.text, options.workspace));
      }
      return withTime([toAuthority(first, lists ?? [])]);
    },
  };

  function withTime(authorities: Authority[]): Authority[] {
    const isUntil = tokens[next]?.kind === 'word' && tokens[next]!.text === 'until';
    if (!isUntil) return authorities;
    next++;
    const expiresAt = time();
    return authorities.map((one) => ({ ...one, expiresAt }));
  }

  function toAuthority(first: Token, lists: Token[][]): Authority {
    const kind = first.text as Authority['kind'];
    const raw = toRaw(kind, lists, options.workspace);
    const parsed = raw && authoritySchema.safeParse({ kind, ...raw });
    if (parsed?.success) return parsed.data;
    const why = parsed?.error.issues[0]?.message ?? 'its arguments do not fit';
    const at = lists.flat()[0]?.at ?? first.at;
    return refuse(at, `${kind}: ${why.replace(/\.$/, '')}`, `It is written ${FORMS[kind]}.`);
  }
}

function suggest(word: string): string {
  const near = toNearest(word.replace(/:$/, ''), [...AUTHORITY_KINDS, ...BUNDLE_NAMES, ...KEYWORDS]);
  if (near !== undefined) return `Did you mean ${near}?`;
  return `Authorities: ${Object.values(FORMS).join(', ')}. Bundles: ${BUNDLE_NAMES.join(', ')}.`;
}

/** The fields of an authority as they were written, or undefined when there are too many or too few. */
function toRaw(kind: Authority['kind'], lists: Token[][], workspace: string): Record<string, unknown> | undefined {
  const words = lists.map((list) => list.map(({ text }) => text));
  // Only commands are several words; elsewhere a space would be a part of a name and has to be quoted.
  if (kind === 'exec') return words.length > 1 ? undefined : words[0] ? { argv: words[0] } : {};
  if (words.some((list) => list.length !== 1)) return undefined;
  const [first, second, ...more] = words.flat();
  if (kind === 'model') return { ids: words.flat() };
  if (more.length > 0) return undefined;
  switch (kind) {
    case 'fs':
      return second === undefined ? undefined : { path: toAbsolute(first!, workspace), rights: toRights(second) };
    case 'net':
      return { host: first ?? '*', port: second === undefined || second === '*' ? 0 : toNumber(second) };
    case 'tool':
      return second === undefined ? { name: first ?? '*' } : undefined;
    case 'secret':
      return second === undefined ? undefined : { name: first, host: second };
    case 'spend':
      return second === undefined ? { usd: toNumber(first?.replace(/^\$/, '')) } : undefined;
    case 'turns':
      return second === undefined ? { count: toNumber(first) } : undefined;
    case 'spawn':
      return second === undefined ? undefined : { depth: toNumber(first), count: toNumber(second) };
  }
}

function toNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d/.test(text) ? Number(text) : undefined;
}

/** The letters in their order; other text is unchanged, and the schema refuses it. */
function toRights(text: string): string {
  const sorted = FILE_RIGHTS.filter((right) => text.includes(right)).join('');
  return sorted.length === text.length ? sorted : text;
}

function toAbsolute(path: string, workspace: string): string {
  return path.startsWith('/') ? path : `${workspace}/${path}`;
}
