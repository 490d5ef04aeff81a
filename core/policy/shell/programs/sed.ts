import { isKnown, OPAQUE, UNKNOWN, type Word } from '../expansion/word.ts';
import { unescape } from './encodings.ts';
import { readOptions } from './options.ts';

/** Expands a set of `tr`: ranges, escapes and the common classes. */
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

/** The output of `tr`; undefined if its sets are not supported. */
export function tr(args: Word[], text: Word): Word | undefined {
  const { flags, rest } = readOptions(args, [], true);
  const from = toSet(rest[0] ?? '');
  const to = toSet(rest[1] ?? '');
  if (!from || !to?.length || flags.size > 0 || args.some((arg) => !isKnown(arg))) return undefined;
  const last = to.at(-1) ?? '';
  const map = new Map(from.map((char, at) => [char, to[at] ?? last]));
  return Array.from(text)
    .map((char) => map.get(char) ?? char)
    .join('');
}

/** `sed` on known text: plain substitutions. Undefined for other scripts. */
export function sed(args: Word[], read: (files: Word[]) => Word): Word | undefined {
  const { flags, all, rest } = readOptions(args, ['-e', '--expression', '-f', '--file', '-l']);
  const given = all.filter(({ flag }) => flag === '-e' || flag === '--expression').map(({ value }) => value);
  const scripts = given.length > 0 ? given : rest.slice(0, 1);
  const text = read(given.length > 0 ? rest : rest.slice(1));
  if (flags.has('-i') || flags.has('--in-place') || [...flags].some((flag) => flag.startsWith('-i'))) return '';
  if (!isKnown(text)) return text.includes(OPAQUE) ? OPAQUE : UNKNOWN;
  if (['-f', '-n', '-E', '-r'].some((flag) => flags.has(flag)) || !scripts.every(isKnown)) return undefined;
  let lines = text.split('\n');
  // A semicolon inside a pattern does not end the command.
  for (const command of scripts.flatMap((script) => script.split(/[;\n]\s*(?=s[^\w\s])/))) {
    const change = toChange(command.trim().replace(/;$/, ''));
    if (!change) return undefined;
    lines = lines.map(change);
  }
  return lines.join('\n');
}

function toChange(command: string): ((line: string) => string) | undefined {
  // Without repetition an expression takes linear time.
  const [, , pattern, replacement = '', flags = ''] =
    /^s([^\w\s\\])((?:(?!\1)[^\\*+{|()?])+)\1((?:(?!\1)[^\\])*)\1([gI]*)$/.exec(command) ?? [];
  if (pattern === undefined) return undefined;
  try {
    const regexp = new RegExp(pattern, flags.replace('I', 'i'));
    const target = replacement.replaceAll('$', '$$$$').replaceAll('&', '$$&');
    return (line) => line.replace(regexp, target);
  } catch {
    return undefined;
  }
}
