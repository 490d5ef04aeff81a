import { fromBase64, fromHex, unescape } from './encodings.ts';
import { readOptions } from './options.ts';
import { sed, tr } from './sed.ts';
import { ANY_NAME, isKnown, OPAQUE, STAR, toGlobWord, UNKNOWN, type Word } from '../expansion/word.ts';
import { forNames, toList, toSet } from '../../word-list.ts';

interface Input {
  args: Word[];
  /** Undefined without standard input. */
  stdin: Word | undefined;
  /** The known content of a file. */
  readFile: (path: Word) => Word | undefined;
}

type Tool = (input: Input) => Word | undefined;

/**
 * The output of a text tool. Undefined for a program that is not a text tool. For a tool or an option that is not
 * evaluated, known input gives {@link OPAQUE}.
 */
export function runTextTool(name: string, input: Input): Word | undefined {
  const tool = TOOLS[name];
  if (!tool) return OPAQUE_TOOLS.has(name) ? spoil(input.stdin) : undefined;
  return tool(input) ?? spoil(input.stdin);
}

/** Programs that compute text from text in ways that are not evaluated. */
const OPAQUE_TOOLS = toSet(
  'awk gawk mawk nawk fold nl base32 basenc gunzip zcat gzip bzip2 xz zstd uudecode uuencode jq yq bc dc iconv od hexdump rot13 python python3 node perl ruby php lua m4 tclsh base58 factor numfmt cmp column expand fmt pr dd',
);

function spoil(stdin: Word | undefined): Word {
  return stdin === undefined || stdin === '' || isKnown(stdin) ? OPAQUE : stdin.includes(OPAQUE) ? OPAQUE : UNKNOWN;
}

function read({ stdin, readFile }: Input, files: Word[]): Word {
  if (files.length === 0 || (files.length === 1 && files[0] === '-')) return stdin ?? UNKNOWN;
  return files.map((file) => (file === '-' ? (stdin ?? UNKNOWN) : (readFile(file) ?? UNKNOWN))).join('');
}

/** A tool for known text; if a part of the text is unknown, all of the output is. */
function onText(
  valued: string[],
  change: (text: string, options: ReturnType<typeof readOptions>) => string | undefined,
): Tool {
  return (input) => {
    const options = readOptions(input.args, valued);
    const text = read(input, options.rest);
    if (!isKnown(text)) return text.includes(OPAQUE) ? OPAQUE : UNKNOWN;
    return change(text, options);
  };
}

/** As {@link onText}, for tools that do not change lines: unknown parts and patterns are kept. */
function onLines(
  valued: string[],
  change: (lines: string[], options: ReturnType<typeof readOptions>) => string[] | undefined,
): Tool {
  return (input) => {
    const options = readOptions(input.args, valued);
    const text = read(input, options.rest);
    if (text === UNKNOWN || text === OPAQUE) return text;
    const lines = change(toLines(text), options);
    return lines && lines.map((line) => `${line}\n`).join('');
  };
}

/** For `head` and `tail`: the first or last lines. Bytes are not counted. */
function onCount(take: (lines: string[], count: Word | undefined) => string[]): Tool {
  return (input) => {
    const short = input.args.map((arg) => /^-(\d+)$/.exec(arg)?.[1]).find((count) => count !== undefined);
    const print = onText(['-n', '-c', '--lines', '--bytes'], (text, { values }) => {
      if (values.has('-c') || values.has('--bytes')) return undefined;
      const lines = take(toLines(text), values.get('-n') ?? values.get('--lines') ?? short);
      return lines.map((line) => `${line}\n`).join('');
    });
    return print(input);
  };
}

function toLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function countOf(value: Word | undefined, fallback: number): number {
  const match = /^[-+]?(\d{1,6})$/.exec(value ?? '');
  return match ? Number(match[1]) : fallback;
}

/** A test for positions, from 1, by a list such as `1,3-5`. */
function toRanges(list: string): ((position: number) => boolean) | undefined {
  const ranges = list.split(',').map((item) => /^(\d*)(-?)(\d*)$/.exec(item));
  if (ranges.some((range) => !range || range[0] === '')) return undefined;
  return (position) =>
    ranges.some((range) => {
      const from = Number(range?.[1] || 1);
      const to = range?.[2] ? Number(range[3] || Infinity) : from;
      return position >= from && position <= to;
    });
}

function printf(args: Word[]): Word | undefined {
  const [format, ...values] = args[0] === '--' ? args.slice(1) : args;
  if (format === undefined || args[0] === '-v') return '';
  let out = '';
  let at = 0;
  do {
    const before = at;
    out += unescape(
      format.replace(
        /%(%|[-+ 0#]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([a-zA-Z]))/g,
        (all: string, spec: string, kind?: string) => {
          if (spec === '%') return '%';
          const value = values[at++] ?? '';
          if (kind === 'b') return value;
          // The escapes of the format are not read in the value of `%s`.
          if (kind === 's') return all.includes('.') ? OPAQUE : value.replaceAll('\\', '\\\\');
          if (/^%[du]$/.test(all) && /^(?:0|[1-9]\d*)$/.test(value)) return value;
          return isKnown(value) ? OPAQUE : UNKNOWN;
        },
      ),
    );
    if (at === before) break;
  } while (at < values.length && out.length < 65_536);
  return out;
}

function echo(args: Word[]): Word {
  let words = args;
  let escapes = false;
  let newline = '\n';
  while (/^-[neE]+$/.test(words[0] ?? '')) {
    const flag = words[0] ?? '';
    if (flag.includes('e')) escapes = true;
    if (flag.includes('n')) newline = '';
    words = words.slice(1);
  }
  const text = words.join(' ');
  return (escapes ? unescape(text) : text) + newline;
}

/** A line that contains the pattern, with unknown text around it, if the pattern is plain. */
const grep: Tool = (input) => {
  const options = readOptions(input.args, toList('-e -f -m -A -B -C --include --exclude --exclude-dir'));
  const pattern = options.values.get('-e') ?? options.rest[0] ?? '';
  const files = options.values.has('-e') ? options.rest : options.rest.slice(1);
  const flags = options.flags;
  if (flags.has('-q') || flags.has('-c') || flags.has('--quiet')) return '';
  if (files.length > 0 || flags.has('-r') || flags.has('-R') || flags.has('-l')) return UNKNOWN;
  const stdin = input.stdin ?? UNKNOWN;
  const plain = pattern
    .replace(/^\^|\$$/g, '')
    .replaceAll(/\\?\.\*/g, STAR)
    .replace(/\\([.\-/])/g, '$1');
  if (isKnown(stdin)) return OPAQUE;
  if (flags.has('-v') || flags.has('-o') || /[[\]()+|\\{}^$]/.test(plain) || !/[\uE001\uE003]/.test(stdin)) {
    return flags.has('-v') ? stdin : UNKNOWN;
  }
  const open = (anchor: boolean) => (anchor ? '' : ANY_NAME);
  return open(pattern.startsWith('^')) + plain + open(pattern.endsWith('$')) + '\n';
};

const TOOLS: Record<string, Tool> = {
  echo: ({ args }) => echo(args),
  printf: ({ args }) => printf(args),
  cat: (input) => read(input, readOptions(input.args).rest),
  tac: onLines([], (lines) => lines.toReversed()),
  rev: onLines([], (lines) => lines.map((line) => Array.from(line).toReversed().join(''))),
  base64: onText(['-w', '--wrap'], (text, { flags }) =>
    flags.has('-d') || flags.has('-D') || flags.has('--decode') ? fromBase64(text) : undefined,
  ),
  xxd: onText(['-c', '-l', '-s'], (text, { flags }) =>
    flags.has('-r') && flags.has('-p') ? fromHex(text) : undefined,
  ),
  openssl: (input) => {
    const [mode, ...args] = input.args;
    const isBase64 = mode === 'base64' || (mode === 'enc' && (args.includes('-base64') || args.includes('-a')));
    const text = input.stdin ?? UNKNOWN;
    if (!isBase64 || !isKnown(text) || args.includes('-in')) return undefined;
    return args.includes('-d') ? fromBase64(text) : undefined;
  },
  tr: (input) => {
    const text = input.stdin ?? UNKNOWN;
    // To turn newlines into spaces does not change names.
    if (!isKnown(text) && !/^\\n$|^\s$/.test(input.args[0] ?? '')) return text.includes(OPAQUE) ? OPAQUE : UNKNOWN;
    return tr(input.args, text);
  },
  sed: (input) => sed(input.args, (files) => read(input, files)),
  cut: onLines(['-c', '-b', '-d', '-f', '--output-delimiter'], (lines, { values }) => {
    const inRange = toRanges(values.get('-f') ?? '');
    if (!inRange || lines.some((line) => !isKnown(line))) return undefined;
    const delimiter = values.get('-d') ?? '\t';
    const joint = values.get('--output-delimiter') ?? delimiter;
    return lines.map((line) =>
      line
        .split(delimiter)
        .filter((_, at, fields) => fields.length === 1 || inRange(at + 1))
        .join(joint),
    );
  }),
  head: onCount((lines, count) => lines.slice(0, countOf(count, 10))),
  tail: onCount((lines, count) =>
    count?.startsWith('+') ? lines.slice(countOf(count, 1) - 1) : lines.slice(-countOf(count, 10)),
  ),
  sort: onLines(['-k', '-t', '-o'], (lines, { flags }) =>
    flags.has('-r') ? lines.toSorted().toReversed() : lines.toSorted(),
  ),
  uniq: onLines([], (lines) => lines.filter((line, at) => line !== lines[at - 1])),
  paste: onLines(['-d'], (lines, { flags, values }) =>
    flags.has('-s') ? [lines.join((values.get('-d') ?? '\t').replace('\\0', ''))] : undefined,
  ),
  fd: ({ args }) => `./${args.some((arg) => /^-\w*[Hu]|^--hidden$/.test(arg)) ? ANY_NAME : STAR}\n`,
  ...forNames('grep egrep fgrep', grep),
  tee: ({ stdin }) => stdin ?? UNKNOWN,
  basename: ({ args }) => {
    const name = args[0]?.split('/').findLast((part) => part !== '') ?? '';
    return `${args[1] !== undefined && name.endsWith(args[1]) ? name.slice(0, -args[1].length) : name}\n`;
  },
  dirname: ({ args }) => `${/^(.*)\/[^/]+\/*$/.exec(args[0] ?? '')?.[1] ?? '.'}\n`,
  ...forNames<Tool>('realpath readlink', ({ args }) => `${args.at(-1) ?? UNKNOWN}\n`),
  mktemp: () => '/tmp/tmp.klaus\n',
  ls: ({ args }) => {
    const { flags, rest } = readOptions(args, ['-I', '--ignore', '--color']);
    if (flags.has('-l')) return UNKNOWN;
    const name = ['-a', '-A', '--all', '--almost-all'].some((flag) => flags.has(flag)) ? ANY_NAME : STAR;
    if (flags.has('-d') || rest.some((path) => !isKnown(path))) return `${rest.join('\n')}\n`;
    return `${name}\n`;
  },
  find: ({ args }) => {
    const first = args.findIndex((arg) => /^[-(!]/.test(arg));
    const starts = first < 0 ? args : args.slice(0, first);
    const roots = starts.length > 0 ? starts : ['.'];
    const at = args.findIndex((arg) => /^-i?(?:name|path|wholename)$/.test(arg));
    const negated = at > 0 && (args[at - 1] === '!' || args[at - 1] === '-not');
    const name = at < 0 || negated ? ANY_NAME : toGlobWord(args[at + 1] ?? '').replaceAll(STAR, ANY_NAME);
    // There can be any folder between the start and the name.
    const end = at < 0 ? ANY_NAME : name.replace(/^.*\//, '');
    return roots.map((root) => `${root === '.' ? '.' : root.replace(/\/$/, '')}/${end}\n`).join('');
  },
  expr: ({ args }) => (args.some((arg) => /[a-z]/i.test(arg)) ? OPAQUE : UNKNOWN),
};
