import { isPromise } from 'node:util/types';
import { describeValue } from '../render/describe-value.ts';
import { isSecret, MASKED, type Mask } from '../render/format-value.ts';
import { createKnownSecrets } from './known-secrets.ts';
import { isSecretName, isWorkingFolder } from './secret-names.ts';
import { SECRET_PATTERNS } from './secret-patterns.ts';

export interface RedactorOptions {
  /** Values, and patterns for values, that are masked in addition to the built-in rules. */
  redact?: readonly (string | RegExp)[] | undefined;
  /** Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
}

export interface Redactor extends Mask {
  /** The secrets that are known. */
  readonly known: ReadonlySet<string>;
  /** Learns the secrets in a graph of values: those under a secret name. Bounded. */
  learn(root: unknown): void;
  /** The text of a result that is shown alone; also hides short parts of known secrets. */
  result(text: string): string;
}

interface Compiled {
  keywords: readonly string[];
  pattern: RegExp;
}

/** Names before values in texts: JSON, URL parameters, headers, `.env` files, printed objects. */
const NAME = /(?<name>[A-Za-z_$][\w$-]{1,60}|["'][\w .-]{2,60}["'])\\*["']?\s*(?:=>|[:=])\s*/g;
/** What follows. */
const VALUE =
  /(?:Bearer|Basic|Token|Digest)\s+[^\s"',;]+|\\*"(?:[^"\\]|\\(?!"))*\\*"|'[^']*'|`[^`]*`|[^\s"',;&)}\]\\]+/iy;
/** User and password, or a token alone, in a URL. */
const CREDENTIALS = /\b(?<scheme>[a-z][a-z0-9+.-]{1,20}:\/\/)(?<user>[^\s/?#@:"']*)(?<password>:[^\s/?#"']*)?@/gi;
const SCHEMES = /\b(?<scheme>Bearer|Basic|Digest|Token)\s+(?<value>[A-Za-z0-9+/=._~-]{8,})/g;
const COOKIE = /\b(?:set-)?cookie["']?\s*[:=]\s*["'`]?(?<pairs>[\w.-]+=[^\n"'`]*)/gi;
/** Characters of the value of a cookie that can be a secret. */
const COOKIE_LENGTH = 6;
const PAIR = /(?:^|[;,]\s*)(?!(?:path|domain|expires|max-age|samesite|priority)=)[\w.-]+=(?<value>[^\s;,"'`}\])]+)/gi;
const JWT = /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g;
/** Values of one graph that are searched, and of all graphs. What is not reached is still masked by its name and its form. */
const NODES = 10_000;
const ALL_NODES = 30_000;
/** Values of one graph whose private fields are searched. */
const PRIVATE = 200;
/** Characters of texts that are searched. */
const CHARACTERS = 600_000;
/** Milliseconds for all graphs. Far beyond what the other limits allow on a busy machine: for hostile values. */
const LEARN_MS = 5_000;

/**
 * Masks secrets: by the names before them, by their form, and every value that was once seen under a secret name, in the
 * forms that one step of code gives it.
 *
 * It cannot hide what code computes from a secret: its length, a comparison, a hash, a cipher, single characters as
 * numbers in separate evaluations. A secret that is under no secret name and has no known form is not recognised.
 */
export function createRedactor({ redact = [], env = process.env }: RedactorOptions = {}): Redactor {
  const known = createKnownSecrets();
  for (const value of redact) if (typeof value === 'string' && value !== '') known.add(value);
  for (const [name, value] of Object.entries(env)) if (value !== undefined && isSecretName(name)) known.add(value);
  const plain = redact.filter((value) => typeof value === 'string').filter((value) => value.length > 0);
  const own = redact
    .filter((value) => value instanceof RegExp)
    .map(({ source, flags }) => new RegExp(source, flags.includes('g') ? flags : `${flags}g`));
  const learnText = (text: string): void => {
    for (const secret of findByForm(text)) known.add(secret);
  };
  for (const value of Object.values(env)) if (value !== undefined) learnText(value);

  const search: Search = {
    add: (value) => known.add(value),
    text: learnText,
    seen: new Map(),
    left: { nodes: ALL_NODES, characters: CHARACTERS, ms: LEARN_MS },
  };
  // Names and short values come again and again.
  const short = new Map<string, string>();
  let valid = 0;
  const mask = (text: string): string => {
    if (text.length > 60) return maskLong(text);
    if (valid !== known.values.size || short.size > 2000) short.clear();
    valid = known.values.size;
    const found = short.get(text) ?? maskLong(text);
    short.set(text, found);
    return found;
  };
  const maskLong = (text: string): string => {
    if (text === '') return text;
    let masked = text;
    for (const value of plain) masked = masked.replaceAll(value, MASKED);
    for (const pattern of own) masked = masked.replaceAll(pattern, MASKED);
    // A secret that is seen by its form is known from then on, in each of its parts.
    for (const secret of findByForm(masked)) {
      known.add(secret);
      masked = masked.replaceAll(secret, MASKED);
    }
    return replaceSpans(masked, known.find(masked));
  };
  return {
    text: mask,
    isSecretName,
    known: known.values,
    learn: (root) => learn(root, search),
    result(text) {
      const masked = mask(text);
      const bare = /^(["'])(.*)\1$/s.exec(masked)?.[2] ?? masked;
      return known.isFragment(bare) ? MASKED : masked;
    },
  };
}

function replaceSpans(text: string, spans: readonly [number, number][]): string {
  let at = 0;
  let replaced = '';
  for (const [from, to] of spans) {
    // A mark that is there already is not divided.
    const before = text.lastIndexOf(MASKED, from);
    const start = before >= 0 && before + MASKED.length > from ? before : from;
    const last = text.lastIndexOf(MASKED, to - 1);
    const end = last >= start && last + MASKED.length > to ? last + MASKED.length : to;
    if (end <= at) continue;
    replaced += text.slice(at, Math.max(at, start)) + (start < at ? '' : MASKED);
    at = end;
  }
  return replaced + text.slice(at);
}

/** The secrets in a text, by names before them and by their form. */
function findByForm(text: string): string[] {
  const found: string[] = [];
  const add = (value: string | undefined): void => {
    if (value !== undefined && value.length >= 3 && value !== MASKED && !MASKED.startsWith(value)) found.push(value);
  };
  for (const { groups } of text.matchAll(CREDENTIALS)) {
    add(groups!['password']?.slice(1));
    if (groups!['password'] === undefined && groups!['user']!.length >= 8) add(groups!['user']);
  }
  for (const { groups } of text.matchAll(SCHEMES)) add(groups!['value']);
  for (const { groups } of text.matchAll(COOKIE))
    for (const pair of groups!['pairs']!.matchAll(PAIR))
      if (pair.groups!['value']!.length >= COOKIE_LENGTH) add(pair.groups!['value']);
  for (const [value] of text.matchAll(JWT)) add(value);
  for (const { 0: all, index, groups } of text.matchAll(NAME)) {
    const name = groups!['name']!.replaceAll(/["']/g, '');
    if (!isSecretName(name)) continue;
    VALUE.lastIndex = index + all.length;
    const value = (VALUE.exec(text)?.[0] ?? '')
      .replaceAll(/^\\*["'`]|\\*["'`]$/g, '')
      .replace(/^(?:Bearer|Basic|Token|Digest)\s+/i, '');
    // Cookies have names of their own.
    if (/cookies?$/i.test(name) && value.includes('=')) continue;
    if (!isCode(value) && !isPartOf(name, value) && !isWorkingFolder(name, value)) add(value);
  }
  const lower = text.toLowerCase();
  for (const { keywords, pattern } of compile()) {
    if (keywords.length > 0 && !keywords.some((keyword) => lower.includes(keyword))) continue;
    for (const match of text.matchAll(pattern))
      add(match.groups?.['value'] ?? match.slice(1).find(Boolean) ?? match[0]);
  }
  return found;
}

/** A word of its own name, as in `{ 'tough-cookie': 'tough' }`: it would be masked wherever it occurs. */
function isPartOf(name: string | undefined, value: string): boolean {
  return name !== undefined && /^[a-z]+$/i.test(value) && name.toLowerCase().includes(value.toLowerCase());
}

/** What a machine made, and not a word or a name. */
function isRandom(value: string): boolean {
  return value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value);
}

/** What follows a name in a source or in a printed object, and is no secret: `password: string`, `token = getToken(`. */
function isCode(value: string): boolean {
  return (
    value.length < 4 ||
    /^(?:string|number|boolean|unknown|undefined|null|true|false|any|object|function|async|await|new|process\.env.*|\[.*|\{.*|[\w$.]+\(.*|[\w$]+(?:\.[\w$]+)+|\d{1,4})$/.test(
      value,
    )
  );
}

let compiled: Compiled[] | undefined;

function compile(): Compiled[] {
  return (compiled ??= SECRET_PATTERNS.map(({ keywords, pattern, flags = '' }) => ({
    keywords,
    pattern: new RegExp(pattern, `g${flags}`),
  })));
}

interface Search {
  add: (value: string) => void;
  text: (text: string) => void;
  /** Objects of all graphs, and whether a secret name led to them. */
  seen: Map<unknown, boolean>;
  /** For all graphs. */
  left: { nodes: number; characters: number; ms: number };
}

/** Breadth first: what is near is more important. */
function learn(root: unknown, { add, text, seen, left }: Search): void {
  const queue: { value: unknown; secret: boolean; name?: string | undefined }[] = [{ value: root, secret: false }];
  const begun = performance.now();
  const isOver = (): boolean => left.nodes <= 0 || performance.now() - begun > left.ms;
  for (let at = 0; at < queue.length && at < NODES && !isOver(); at++) {
    left.nodes--;
    const { value, secret, name } = queue[at]!;
    if (typeof value === 'string') {
      // What is deeper than its name can be a setting of it, such as a domain.
      if (secret && (name === undefined ? isRandom(value) : !isPartOf(name, value))) add(value);
      else if (left.characters > 0 && value.length >= 12) {
        const part = value.slice(0, 20_000);
        left.characters -= part.length;
        text(part);
      }
      continue;
    }
    if (secret && (typeof value === 'number' || typeof value === 'bigint')) add(String(value));
    if (typeof value !== 'object' || value === null || (secret ? seen.get(value) : seen.has(value))) continue;
    seen.set(value, secret);
    if (secret && Buffer.isBuffer(value)) add(value.toString('latin1'));
    if (ArrayBuffer.isView(value) || isPromise(value)) continue;
    const found = describeValue(value, at < PRIVATE);
    for (const part of found.parts(1000))
      if (part.note === undefined) {
        const isNamed = isSecret(part, { text: String, isSecretName });
        queue.push({ value: part.value, secret: secret || isNamed, name: isNamed ? part.key : undefined });
      }
  }
  left.ms -= performance.now() - begun;
}
