import type { SecretValue } from './value-matcher.ts';
import { toSet } from '../word-list.ts';

/** Shorter values match ordinary words. */
const SHORTEST = 8;
/** Values of one file; a file with more is no configuration. */
const MOST = 500;

/** Last letters of a word of a name: `PGPASSWORD`, `apikey`. */
const SECRET_ENDING = /(?:pass(?:word|wd|phrase|code)?s?|pwd|secrets?|tokens?|keys?|creds?|credentials?)$/;
const SECRET_WORDS = toSet(
  'auth authorization private salt pepper dsn cookie session sign signing signature webhook pin pat otp license licence',
);
/** What a name that ends like this says is something about a secret: `SESSION_DRIVER`, `TOKEN_TTL`. */
const ABOUT =
  /^(?:driver|method|mode|type|provider|backend|store|storage|connection|strategy|guard|name|prefix|suffix|header|domain|path|dir|folder|host|port|table|model|class|ttl|lifetime|expir\w*|timeout|age|length|size|min|max|count|rounds|algorithm|alg|format|encoding|enabled|disabled|required|region|version|issuer|audience|scopes?)$/;
const TRIVIAL = toSet(
  'development production localhost undefined disabled enabled required optional automatic internal external info,debug postgres postgresql changeme password username database utf8mb4_unicode_ci',
);
/** Also with a number: `us-east-1`, `checkout_v2`, `1.2.3-beta.1`. */
const WORDS =
  /^(?=(?:\D*\d){0,4}\D*$)(?:[A-Za-z]+|\d+|v\d+|[A-Za-z]{3,}\d)(?:[-_. /](?:[A-Za-z]+|\d+|v\d+|[A-Za-z]{3,}\d))*$/;
const ADDRESS = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const NUMBERS = /^[\d\s.,:/TZ+-]+$/;
const PLACE = /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)/;
const HOST = /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?$|^[a-z0-9-]+:\d+$/i;
const REFERENCE = /^\$\{?\w|^\{\{|^<[^>]*>$|^%\w+%$|^(?:your|replace|insert|enter)[-_ ]|[-_]here$|^(.)\1*$/i;

/**
 * The secret values in a file of settings or keys: dotenv, INI, YAML, TOML, JSON, netrc, PEM, and files that are
 * one token. A value that does not look like a secret (words, numbers, paths, hosts, URLs without a password) counts
 * only with a name such as `DB_PASSWORD`.
 *
 * @param path Its last part becomes part of the names.
 */
export function toSecretValues(path: string, text: string): SecretValue[] {
  const found = new Map<string, string>();
  const file = path.slice(path.lastIndexOf('/') + 1);
  const put = (name: string, value: string): void => {
    if (found.size < MOST && !found.has(value)) found.set(value, name);
  };
  const add = (name: string, raw: string): void => {
    for (const value of toParts(name, raw)) put(name, value);
  };
  const json = toJson(text);
  if (json !== undefined) walkJson(json, file, add);
  else {
    for (const [line] of text.matchAll(/^[A-Za-z0-9+/=]{32,76}\r?$/gm))
      if (text.includes('-----BEGIN')) put('private-key', line.trim());
    for (const [name, value] of readLines(text)) add(name, value);
    if (!text.includes('-----BEGIN')) for (const word of readBare(text)) put(file, word);
  }
  return [...found].map(([value, name]) => ({ name, value }));
}

/** The value, and what is secret in it by itself: the password of a URL, what a Base64 login decodes to. */
function toParts(name: string, raw: string): string[] {
  const value = raw.trim();
  if (value.length < SHORTEST || value.length > 16_384 || REFERENCE.test(value)) return [];
  const url = /^[a-z][a-z0-9+.-]*:\/\/(?<login>[^/?#\s]*)@/i.exec(value)?.groups?.['login'];
  if (url !== undefined) {
    const user = url.slice(0, Math.max(0, url.indexOf(':')));
    const password = url.slice(url.indexOf(':') + 1);
    // `postgres:postgres`: the name of a program, which many files contain.
    if (password === user || TRIVIAL.has(password.toLowerCase())) return [value];
    const plain = decode(password);
    return [value, password, plain].filter((part) => part.length >= SHORTEST && !REFERENCE.test(part));
  }
  const isNamed = soundsSecret(name);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) && !/[?&][\w-]*(?:key|token|secret|sig|auth)[\w-]*=/i.test(value))
    return isNamed && /\/[\w-]{20,}/.test(value) ? [value] : [];
  if (TRIVIAL.has(value.toLowerCase()) || PLACE.test(value) || HOST.test(value)) return [];
  if (!isNamed && (WORDS.test(value) || NUMBERS.test(value) || ADDRESS.test(value))) return [];
  return [value];
}

function soundsSecret(name: string): boolean {
  if (/public|publishable/i.test(name)) return false;
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  return !ABOUT.test(words.at(-1) ?? '') && words.some((word) => SECRET_ENDING.test(word) || SECRET_WORDS.has(word));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function toJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function walkJson(value: unknown, name: string, add: (name: string, value: string) => void): void {
  if (typeof value === 'string') {
    add(name, value);
    // JSON contains a key with escaped line breaks; output shows its lines.
    if (value.includes('-----BEGIN'))
      for (const line of value.split('\n')) if (/^[A-Za-z0-9+/=]{32,76}$/.test(line)) add('private-key', line);
  } else if (Array.isArray(value)) for (const item of value) walkJson(item, name, add);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) walkJson(item, key, add);
}

const LINE =
  /^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?["']?(?<name>[\w./:@-]*[\w-])["']?[ \t]*(?:=>|[=:])[ \t]*(?:"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>[^']*)'|`(?<tick>[^`]*)`|(?<plain>[^\r\n]*))/gm;
const LOGIN = /\b(?<name>password|passwd|account|login)[ \t]+(?<value>[^\s=:]\S*)/g;

function* readLines(text: string): Generator<[name: string, value: string]> {
  for (const match of text.matchAll(LINE)) {
    const { name = '', double, single, tick, plain = '' } = match.groups ?? {};
    const quoted = double ?? single ?? tick;
    if (quoted !== undefined) {
      yield [name, quoted];
      if (double?.includes('\\') === true) yield [name, double.replaceAll(/\\(["\\$])/g, '$1')];
      continue;
    }
    yield [name, plain.replace(/[ \t]+#.*$/, '').replace(/^["']|["',;]+$/g, '')];
    // Without a space before it the mark belongs to the value for some readers and not for others.
    if (plain.includes('#')) yield [name, plain.replace(/#.*$/, '')];
  }
  for (const match of text.matchAll(LOGIN)) yield [match.groups?.['name'] ?? '', match.groups?.['value'] ?? ''];
  // host:port:database:user:password, user:hash
  for (const match of text.matchAll(/^[^\s#=]+:(?<value>[^\s:=]{8,})$/gm)) yield ['password', match.groups!['value']!];
  for (const [url] of text.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s/@]+:[^\s/@]+@[^\s"']+/gi)) yield ['url', url];
}

/** A file that contains only one or a few tokens. */
function* readBare(text: string): Generator<string> {
  const lines = text.split('\n').map((line) => line.trim());
  if (lines.length > 20) return;
  for (const line of lines) if (/^[^\s#=:]{12,4096}$/.test(line) && /\d/.test(line) && !PLACE.test(line)) yield line;
}
