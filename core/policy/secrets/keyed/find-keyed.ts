import { readValue, type FoundValue, type Surroundings } from './read-value.ts';
import { toKeyKind } from './secret-key.ts';
import { isSecretText } from './secret-text.ts';
import { toList } from '../../word-list.ts';

export const KEY_WORDS: readonly string[] = toList(
  'pass pwd secret token credential auth key salt bearer bindpw rootpw userpw psk kennwort wachtwoord contrasena senha',
);
const WORD = new RegExp(KEY_WORDS.join('|'), 'gi');
/** From such a word to the mark that may begin a value. Every repetition has a bound. */
const LEADING = /[\w.$-]{3,60}["'`\\\])?!]{0,5}[ \t]{0,40}(?:[=:>,\n\r{|]|<\/|\?\?|(?<=[ \t])[^\s])/y;
/** A placeholder, after its opening bracket. */
const PLACEHOLDER = /secret:[a-z0-9-]{1,80}:[0-9a-f]{8}\]/y;
const KEY_UNIT = /[\w.$-]/;
const LONGEST_KEY = 80;

/** The closing quote of a key, brackets around it, and what leads to its value. */
const SEPARATOR =
  /\\{0,3}["'`]?[\])]{0,2}[?!]?[ \t]{0,40}(?<mark>=>|:=|\?=|\+=|={1,3}|!==?|:|>|,|\|\||\?\?|\|)[ \t]{0,40}/y;
/** A type between name and value: `password: string = "…"`, `key: &'static str = "…"`. */
const TYPE = /(?:&(?:'\w{1,20}[ \t])?)?[A-Za-z_][\w.<>[\]|?]{0,40}[ \t]{0,4}=[ \t]{0,4}(?=\\{0,3}["'`])/y;
/** An anchor or a tag of YAML before the value. */
const YAML_MARK = /(?:(?:&[\w-]{1,60}|!{1,2}(?:str|binary))[ \t]{1,10}){1,2}/y;
/** The value of a quoted key on its own line. */
const NEXT_LINE = /\r?\n[ \t]{0,80}(?=")/y;
/** A property of C#. */
const ACCESSORS = /[ \t]{0,4}\{[ \t]{0,4}get;[^\n}]{0,30}\}[ \t]{0,4}=[ \t]{0,4}(?=@?")/y;
/** The key is the value of `name`, or holds an object: what counts is called `value` or the like. */
const BRIDGE =
  /\\{0,3}["'`]?[\s,;{}:=-]{1,120}(?:["']?(?:type|description|sensitive|nullable|required|scope|secure|target)["']?[ \t]{0,20}[:=][^\n}]{0,200}?[,\n]\s{0,40}){0,4}\\{0,3}["'`]?@?(?:value|default(?:[_-]?value)?|content|plaintext|string_?value)\\{0,3}["'`]?[ \t]{0,10}[:=][ \t]{0,10}/iy;
const CDATA = /\s{0,80}<!\[CDATA\[/y;
const PLIST = /<\/key>\s{0,40}<string>/y;
/** `"host": "value"` in an object below the key. */
const HOSTS = /\{\s{0,40}(?:"[\w.:@/-]{3,100}"\s{0,10}:\s{0,10}(?=")|(?=\}))/y;
/** The first item of a list below the key. */
const ITEM = /\[\s{0,80}(?=["'])|\r?\n[ \t]{0,40}-[ \t]{1,4}(?=[^\s\-:]{6,})/y;
const NEXT_ITEM = /["']?\s{0,10},?\s{0,80}(?:-[ \t]{1,4})?(?=["'\w])/y;
/** A block of YAML: the value begins on the next line. */
const BLOCK = /[|>][+-]?\d?[ \t]*\r?\n[ \t]{1,40}/y;
const MOST_ITEMS = 20;
/** Between a name and its value, where nothing else is. */
const SPACE = /[ \t]{1,40}(?=[^\s=:>,{|?<])/y;
/** The variables of a shell with its folder, and the absolute path of one. */
const FOLDER_KEY = /^(?:OLD)?PWD$/;
const FOLDER = /^(?:\/|[A-Za-z]:[\\/])/;
const DIRECTIVE = /^(?:requirepass|masterauth|rootpw|bindpw)$/i;
/** What sets the variable or header whose name follows. */
const SETTING =
  /(?:^|\s)(?:ENV|ARG|LABEL|setenv|SetEnv|set(?:[ \t]{1,4}-{1,2}\w{1,12}){1,3}|fastcgi_param|uwsgi_param|proxy_set_header|RequestHeader[ \t]set|setx|#[ \t]{0,4}define|configure[ \t]set)[ \t]{1,8}["']?$/;

/**
 * Values that are secret by the name of their key, in any syntax: settings, source, markup, command lines. It
 * reads pairs and not complete files, because its input can be a part of a file or of output.
 */
export function* findKeyed(text: string, places?: readonly number[]): Generator<readonly [start: number, end: number]> {
  let end = 0;
  for (const from of places ?? text.matchAll(WORD).map(({ index }) => index)) {
    if (from < end || matchAt(LEADING, text, from) === undefined) continue;
    const placeholder = text[from - 1] === '[' ? matchAt(PLACEHOLDER, text, from) : undefined;
    if (placeholder !== undefined) {
      end = placeholder;
      continue;
    }
    const key = readKey(text, from);
    end = key.end;
    const name = text.slice(key.start, key.end);
    const kind = toKeyKind(name);
    if (kind === undefined) continue;
    for (const { found, isStrict } of readValues(text, key)) {
      const value = text.slice(found.start, found.end);
      if (FOLDER_KEY.test(name) && FOLDER.test(value)) continue;
      const site = { kind: isStrict ? 'token' : kind, isQuoted: found.isQuoted };
      if (isSecretText(value, site)) yield [found.start, found.end];
    }
  }
}

interface Key {
  start: number;
  end: number;
}

/** The complete key around one of its words. */
function readKey(text: string, at: number): Key {
  let start = at;
  while (start > 0 && at - start < LONGEST_KEY && KEY_UNIT.test(text[start - 1]!)) start--;
  let end = at;
  while (end < text.length && end - at < LONGEST_KEY && KEY_UNIT.test(text[end]!)) end++;
  return { start, end };
}

interface Candidate {
  found: FoundValue;
  /** True where the key may not be one: the value has to look random. */
  isStrict: boolean;
}

function* readValues(text: string, key: Key): Generator<Candidate> {
  const bridged = matchAt(BRIDGE, text, key.end) ?? matchAt(PLIST, text, key.end);
  if (bridged !== undefined) {
    const found = readValue(text, bridged, {});
    if (found) yield { found, isStrict: false };
  }
  const assigned = matchAt(ACCESSORS, text, key.end);
  if (assigned !== undefined) return yield* toCandidate(readValue(text, assigned, {}), false);
  const spaced = matchAt(SPACE, text, key.end);
  if (spaced !== undefined) return yield* readSpaced(text, key, spaced);
  SEPARATOR.lastIndex = key.end;
  const mark = SEPARATOR.exec(text)?.groups?.['mark'];
  if (mark === undefined) return;
  const at = SEPARATOR.lastIndex;
  if (mark === '>') return yield* readElement(text, at);
  // The cell beside it.
  if (mark === '|') return yield* toCandidate(readValue(text, at, { separator: '|' }), true);
  if (mark === ',' || mark === '||' || mark === '??') {
    if (/["'`]/.test(text[at] ?? '')) yield* toCandidate(readValue(text, at, {}), mark === ',' && !isDefine(text, key));
    return;
  }
  const isQuotedKey = /["']/.test(text[key.end] ?? '');
  const start =
    matchAt(TYPE, text, at) ??
    matchAt(BLOCK, text, at) ??
    matchAt(YAML_MARK, text, at) ??
    (isQuotedKey ? matchAt(NEXT_LINE, text, at) : undefined) ??
    at;
  const list = matchAt(ITEM, text, start);
  if (list !== undefined) return yield* readList(text, list);
  yield* toCandidate(readValue(text, matchAt(HOSTS, text, start) ?? start, toSurroundings(text, key)), false);
}

function* toCandidate(found: FoundValue | undefined, isStrict: boolean): Generator<Candidate> {
  if (found) yield { found, isStrict };
}

/** `--password …`, `ENV API_TOKEN …`, `requirepass …`: a name and a value with nothing but space between them. */
function* readSpaced(text: string, { start, end }: Key, at: number): Generator<Candidate> {
  const key = text.slice(start, end);
  const isOption = key.startsWith('-');
  // `password …` of a .netrc, `keyPassword "…"` of a Gradle file.
  const isWord = /^(?:password|passwd)$/i.test(key) || (/password$/i.test(key) && /["']/.test(text[at] ?? ''));
  if (!isOption && !isWord && !DIRECTIVE.test(key) && !SETTING.test(text.slice(Math.max(0, start - 48), start))) return;
  yield* toCandidate(readValue(text, at, toSurroundings(text, { start, end })), isWord);
}

/** `<password>…</password>`, `<entry key="password">…</entry>`. */
function* readElement(text: string, at: number): Generator<Candidate> {
  const from = matchAt(CDATA, text, at) ?? at;
  const close = text.indexOf(from === at ? '<' : ']]>', from);
  if (close < 0 || close - from > 1_000) return;
  const inner = text.slice(from, close);
  const start = from + inner.length - inner.trimStart().length;
  const end = from + inner.trimEnd().length;
  if (end > start && !inner.trim().includes('\n')) yield { found: { start, end, isQuoted: true }, isStrict: false };
}

function* readList(text: string, from: number): Generator<Candidate> {
  let at: number | undefined = from;
  for (let count = 0; at !== undefined && count < MOST_ITEMS; count++) {
    const found = readValue(text, at, {});
    if (!found) return;
    yield { found, isStrict: true };
    at = matchAt(NEXT_ITEM, text, found.end);
  }
}

/** `define('DB_PASSWORD', '…')`: a name and its value, and no list of words. */
function isDefine(text: string, { start }: Key): boolean {
  return /(?:define|set|setenv|env|put|add|header|setHeader|append|property)\w{0,20}[ \t]{0,4}\([ \t]{0,4}["'`]?$/i.test(
    text.slice(Math.max(0, start - 60), start),
  );
}

function toSurroundings(text: string, { start, end }: Key): Surroundings {
  const before = text[start - 1];
  const isQuotedKey = before !== undefined && /["'`]/.test(before) && /^\\{0,3}["'`]/.test(text.slice(end, end + 4));
  const from = Math.max(text.lastIndexOf('\n', start - 1) + 1, start - 400);
  const prefix = text.slice(from, isQuotedKey ? start - 1 : start);
  const quote = ['"', "'", '`'].find((each) => prefix.split(each).length % 2 === 0);
  const separator = before === '?' || before === '&' ? '&' : /;[^=\n]{0,40}$|;/.test(prefix) ? ';' : undefined;
  return { quote, separator: separator ?? (quote !== undefined && quote !== '`' ? ';' : undefined) };
}

function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
