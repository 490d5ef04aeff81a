import { isKnown, OPAQUE, UNKNOWN, type Word } from '../expansion/word.ts';
import { unescape } from './encodings.ts';
import { readOptions } from './options.ts';

/** Expands the sets of `tr`: ranges, escapes and the usual classes. */
function toSet(text: string): string[] | undefined {
  const plain = unescape(text)
    .replaceAll('[:lower:]', 'a-z')
    .replaceAll('[:upper:]', 'A-Z')
    .replaceAll('[:digit:]', '0-9')
    .replaceAll('[:alpha:]', 'A-Za-z')
    .replaceAll('[:alnum:]', '0-9A-Za-z')
    .replaceAll('[:space:]', ' \t\n\r');
  if (plain.includes('[:') || plain.includes('[=')) return undefined;
  const out: string[] = [];
  const chars = Array.from(plain);
  for (let at = 0; at < chars.length; at++) {
    const from = chars[at] ?? '';
    const to = chars[at + 2];
    if (chars[at + 1] === '-' && to !== undefined) {
      const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
      if (last < first || last - first > 256) return undefined;
      for (let code = first; code <= last; code++) out.push(String.fromCharCode(code));
      at += 2;
    } else out.push(from);
  }
  return out;
}

/** `tr`: what it makes of the text; undefined where its sets are not followed. */
export function tr(args: Word[], text: Word): Word | undefined {
  const { flags, rest } = readOptions(args, [], true);
  const complement = flags.has('-c') || flags.has('-C');
  const from = toSet(rest[0] ?? '');
  const to = rest[1] === undefined ? [] : toSet(rest[1]);
  if (!from || !to || args.some((arg) => !isKnown(arg))) return undefined;
  const inSet = (char: string) => from.includes(char) !== complement;
  if (flags.has('-d'))
    return Array.from(text)
      .filter((char) => !inSet(char))
      .join('');
  if (to.length === 0)
    return flags.has('-s')
      ? Array.from(text)
          .filter((char, at) => !inSet(char) || char !== text[at - 1])
          .join('')
      : undefined;
  const last = to.at(-1) ?? '';
  if (complement)
    return Array.from(text)
      .map((char) => (inSet(char) ? last : char))
      .join('');
  const map = new Map(from.map((char, at) => [char, to[at] ?? last]));
  return Array.from(text)
    .map((char) => map.get(char) ?? char)
    .join('');
}

/** The pieces of a `s` or `y` command: `s/a/b/g` → `a`, `b`, `g`. */
function splitCommand(command: string): string[] | undefined {
  const delimiter = command[1];
  if (delimiter === undefined || /[\w\s\\]/.test(delimiter)) return undefined;
  const parts: string[] = [];
  let current = '';
  for (let at = 2; at < command.length; at++) {
    if (command[at] === '\\' && command[at + 1] === delimiter) {
      current += delimiter;
      at++;
    } else if (command[at] === '\\') {
      current += command.slice(at, at + 2);
      at++;
    } else if (command[at] === delimiter && parts.length < 2) {
      parts.push(current);
      current = '';
    } else current += command[at];
  }
  return parts.length === 2 ? [...parts, current] : undefined;
}

/** `sed` on known text: plain substitutions and transliterations. Undefined where a script is not followed. */
export function sed(args: Word[], read: (files: Word[]) => Word): Word | undefined {
  const { flags, all, rest } = readOptions(args, ['-e', '--expression', '-f', '--file', '-l']);
  const given = all.filter(({ flag }) => flag === '-e' || flag === '--expression').map(({ value }) => value);
  const scripts = given.length > 0 ? given : rest.slice(0, 1);
  const text = read(given.length > 0 ? rest : rest.slice(1));
  if (flags.has('-i') || flags.has('--in-place') || [...flags].some((flag) => flag.startsWith('-i'))) return '';
  if (!isKnown(text)) return text.includes(OPAQUE) ? OPAQUE : UNKNOWN;
  if (flags.has('-f') || flags.has('-n') || scripts.some((script) => !isKnown(script))) return undefined;
  let lines = text.split('\n');
  for (const command of scripts.flatMap((script) => splitScript(script))) {
    const change = toChange(command, flags.has('-E') || flags.has('-r'));
    if (!change) return undefined;
    lines = lines.map(change);
  }
  return lines.join('\n');
}

function splitScript(script: string): string[] {
  // Semicolons inside of a pattern stay: only those between whole commands count.
  return script.split(/[;\n]\s*(?=[sy][^\w\s])/).map((part) => part.trim().replace(/;$/, ''));
}

function toChange(command: string, extended: boolean): ((line: string) => string) | undefined {
  const parts = splitCommand(command);
  const [pattern = '', replacement = '', flags = ''] = parts ?? [];
  if (!parts) return undefined;
  if (command.startsWith('y')) {
    const map = new Map(Array.from(pattern).map((char, at) => [char, Array.from(replacement)[at] ?? '']));
    return (line) =>
      Array.from(line)
        .map((char) => map.get(char) ?? char)
        .join('');
  }
  if (!command.startsWith('s') || !/^[gI]*$/.test(flags) || /[*+{|]/.test(pattern)) return undefined;
  // Without repetition an expression takes linear time.
  const source = extended
    ? pattern
    : pattern.replace(/\\?[()?]/g, (part) => (part.startsWith('\\') ? part.slice(1) : `\\${part}`));
  try {
    const regexp = new RegExp(source, flags.replace('I', 'i'));
    const target = replacement
      .replaceAll('$', '$$$$')
      .replace(/\\([1-9])/g, '$$$1')
      .replace(/(?<!\\)&/g, '$$&')
      .replace(/\\([&/.|-])/g, '$1');
    return (line) => line.replace(regexp, unescape(target));
  } catch {
    return undefined;
  }
}
