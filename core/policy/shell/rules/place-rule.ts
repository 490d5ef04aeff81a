import { hasShortName } from '../../names/name-comparison.ts';
import { isPackageFile } from '../../names/package-file.ts';
import { describePlace } from '../../places.ts';
import { ask, askUnknown, deny, type ShellFinding } from './command-rule.ts';
import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { protectedPlace, reach, type ShellContext } from './target.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { isDynamic, isKnown, isOpaque, showWord, type Word } from '../expansion/word.ts';
import { toList, toSet } from '../../word-list.ts';

/** Programs that only read what they name. */
const READERS = toSet(
  'cat tac head tail less more most bat batcat grep egrep fgrep rg ag ack ls stat file wc diff cmp sort uniq cut jq test [ tree du md5sum sha1sum sha256sum sha512sum cksum basename dirname realpath readlink echo printf nl od xxd hexdump strings column fold rev comm paste join tr yamllint actionlint shellcheck cd pushd export declare local source . find fd fdfind git env read seq sleep date which type command set unset rm rmdir eval rimraf unlink',
);
/** Programs that write their last argument and read the others. */
const LAST_IS_WRITTEN = new Set(['cp', 'ln', 'install', 'rsync', 'scp']);
/** Programs that write every path they name. */
const WRITERS = toSet(
  'mv tee touch mkdir truncate shred chmod chown chgrp sponge patch unzip vim vi nano ed ex split mkfifo mknod',
);

/** Writes to protected places, and outside the workspace. */
export function judgePlaces(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  for (const { operator, target } of command.redirects) {
    if (operator === '<<<') continue;
    if (/^\/dev\/(?:tcp|udp)\//.test(target)) {
      if (context.isOffline) continue;
      return ask(`${showWord(target)} is a connection`);
    }
    if (/^\/dev\/(?:sd|nvme|hd|vd|mem|kmem|mapper)/.test(target) && operator !== '<')
      return deny(`${showWord(target)} is a device`);
    if (operator === '<') continue;
    const finding = judgeWrite(target, command, context);
    if (finding) return finding;
  }
  const args = command.argv.slice(1);
  const { name } = command;
  const outputs =
    name === 'git' ? [...toPatched(command, context), ...toGitOutputs(args)] : toPatched(command, context);
  const finding = outputs.length > 0 ? judgeWrites(outputs, command, context) : undefined;
  if (finding) return finding;
  if (name === 'sed' || name === 'gsed' || name === 'awk' || name === 'gawk' || name === 'yq' || name === 'perl') {
    const inPlace =
      args.some((arg) => /^-\w*i|^--in-?place/.test(arg)) &&
      !(name === 'perl' && args.some((arg) => /^-[MI]/.test(arg) && !/^-\w*i/.test(arg)));
    return inPlace ? judgeInPlace(command, context) : undefined;
  }
  const written = toNamedOutputs(name, args);
  if (written) return judgeWrites(written, command, context);
  if (name === 'uniq') return judgeWrites([readOptions(args, ['-f', '-s', '-w']).rest[1]], command, context);
  if (READERS.has(name) || command.argv.length === 0) return undefined;
  if (LAST_IS_WRITTEN.has(name)) return judgeCopy(command, context);
  const strict = WRITERS.has(name);
  for (const arg of args) {
    if (strict && !arg.startsWith('-')) {
      const finding = judgeWrite(arg, command, context);
      if (finding && !(isDynamic(arg) && !isOpaque(arg))) return finding;
    } else if (!/\s/.test(arg)) {
      const place = protectedPlace(arg, command, context);
      if (place && !READS_SETTINGS.test(name)) return toFinding(arg, place);
    }
  }
  return undefined;
}

/** Checkers that read the settings or workflows in their arguments. */
const READS_SETTINGS =
  /^(?:eslint|prettier|markdownlint|markdownlint-cli2|cspell|vale|biome|oxlint|yamllint|ajv|check-jsonschema|nodejs|cargo|go|tsc|npm|pnpm|yarn)$/;

function toFinding(word: Word, place: NonNullable<ReturnType<typeof protectedPlace>>): ShellFinding {
  return (place === 'git' ? deny : ask)(`${showWord(word)} is ${describePlace(place)}`);
}

/** Names in a patch, with and without their first folder. */
const PATCHED = /^(?:\+\+\+|---|rename to|copy to|\*\*\*) (?:[^\s/]+\/)?(\S+)/gm;
const PATCHED_PLAIN = /^(?:\+\+\+|---|rename to|copy to|\*\*\*) (\S+)/gm;

/** Files that a patch changes: of standard input, and where the gate can read them, of files. */
function toPatched({ name, argv, stdin = '', cwds, redirects }: SimpleCommand, { host }: ShellContext): Word[] {
  if (name !== 'patch' && !(name === 'git' && argv.some((arg) => arg === 'apply' || arg === 'am'))) return [];
  const inputs = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const files =
    host === undefined ? [] : [...argv.slice(1), ...inputs].filter((word) => isKnown(word) && !word.startsWith('-'));
  const texts = files.flatMap((word) => cwds.map((cwd) => host?.read(resolvePath(word, cwd)) ?? ''));
  const names = argv.includes('-p0') ? PATCHED_PLAIN : PATCHED;
  return [stdin, ...texts].flatMap((text) =>
    Array.from(text.matchAll(names), ([, path = '']) => path).filter((path) => path !== 'null'),
  );
}

/** Files that an option or an operand names as output, for programs that write no others; undefined for other programs. */
function toNamedOutputs(name: string, args: readonly Word[]): (Word | undefined)[] | undefined {
  switch (name) {
    case 'tar':
    case 'gtar':
    case 'bsdtar':
    case 'cpio': {
      const { values, all } = readOptions(args, ['-C', '--directory', '-f', '--file', '-D']);
      const archives = all.filter(({ flag }) => flag === '-f').map(({ value }) => value);
      return [values.get('-C'), values.get('--directory'), ...archives];
    }
    case 'sort':
      return [readOptions(args, ['-o', '--output', '-k', '-t']).values.get('-o')];
    case 'wget':
    case 'curl':
      return readOptions(args, DOWNLOADS[name] ?? []).all.map(({ value }) => value);
    case 'dd':
      return [args.find((arg) => arg.startsWith('of='))?.slice(3)];
    case 'find':
      return [args.find((_, at) => /^-f(?:printf?|ls|print0)$/.test(args[at - 1] ?? ''))];
    default:
      return undefined;
  }
}

/** Files that git writes because of an option: `git log --output=F`, `git archive -o F`, `git format-patch -o D`, `git bundle create F`. */
function toGitOutputs(args: readonly Word[]): Word[] {
  const hasShortOption = /^(?:archive|format-patch)$/.test(args.find((arg) => !arg.startsWith('-')) ?? '');
  return args.flatMap((arg, at) => {
    if (/^--output(?:-directory)?$/.test(arg) || (arg === '-o' && hasShortOption)) return [args[at + 1] ?? ''];
    if (args[at - 1] === 'create' && args[at - 2] === 'bundle') return [arg];
    return /^--output(?:-directory)?=/.test(arg) ? [arg.slice(arg.indexOf('=') + 1)] : [];
  });
}

/** The first finding about files that are written; `-` is standard output. */
function judgeWrites(
  words: readonly (Word | undefined)[],
  command: SimpleCommand,
  context: ShellContext,
): ShellFinding | undefined {
  for (const word of words) {
    const finding = word === undefined || word === '-' ? undefined : judgeWrite(word, command, context);
    if (finding) return finding;
  }
  return undefined;
}

function judgeWrite(word: Word, command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const place = protectedPlace(word, command, context);
  if (place) return toFinding(word, place);
  if (isOpaque(word)) return askUnknown('what it writes to is computed in a way that cannot be evaluated');
  const outside = reach(word, command, context).find(({ kind }) => kind === 'outside' || kind === 'unknown');
  if (outside?.kind === 'outside') return ask(`${showWord(word)} is outside the workspace`);
  if (hasShortName(word, context.names)) return ask(`${showWord(word)} can be the short name of another file`);
  return undefined;
}

/** A change of package.json that names only fields that are not run. */
const ONLY_DESCRIBES = /\b(?:version|description|license|homepage|author|private|name|keywords|engines)\b/;

function judgeInPlace(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const code = new Set(command.code.map(({ text }) => text));
  for (const arg of command.argv.slice(1)) {
    if (code.has(arg) || arg.startsWith('-')) continue;
    const finding = judgeWrite(arg, command, context);
    if (finding) return finding;
    if (
      isPackageFile(arg) &&
      [...code].some(
        (text) =>
          !ONLY_DESCRIBES.test(text) || /scripts|"(?:pre|post)?(?:install|test|build|start|prepare|lint)"/.test(text),
      )
    ) {
      return ask('it changes, or can change, the scripts of package.json, which others run');
    }
  }
  return undefined;
}

function judgeCopy(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const { rest, values } = readOptions(command.argv.slice(1), toList('-t --target-directory -m -o -g -S -e --exclude'));
  const target = values.get('-t') ?? values.get('--target-directory') ?? (rest.length > 1 ? rest.at(-1) : undefined);
  if (target !== undefined) {
    const finding = judgeWrite(target, command, context);
    if (finding) return finding;
  }
  for (const source of rest.slice(0, command.name === 'ln' ? undefined : -1)) {
    // A link makes its target writable under another name; a copied file keeps its name in the target.
    const place = command.name === 'ln' ? protectedPlace(source, command, context) : undefined;
    if (place) return toFinding(source, place);
    const folder = target?.replace(/\/?[^/]*$/, '') || '.';
    // A symbolic link is relative to the folder that contains it.
    const seen = source.startsWith('/') || source.startsWith('~') ? source : `${folder}/${source}`;
    if (
      command.name === 'ln' &&
      reach(seen, command, context).some(({ kind }) => kind === 'outside' || kind === 'root')
    ) {
      return ask(`a link to ${showWord(source)} leads out of the workspace`);
    }
    if (target === undefined || command.name === 'ln') continue;
    const landing = judgeWrite(`${target}/${source.replace(/^.*\//, '')}`, command, context);
    if (landing && !isDynamic(source)) return landing;
  }
  return undefined;
}

/** Options of curl and wget that name a file or folder to write. */
const DOWNLOADS: Record<string, readonly string[]> = {
  curl: toList(
    '-o --output --output-dir -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc',
  ),
  wget: toList(
    '-O --output-document -P --directory-prefix -o --output-file -a --append-output --save-cookies --hsts-file --warc-file --rejected-log',
  ),
};
