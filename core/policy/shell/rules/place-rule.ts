import { describePlace } from '../../places.ts';
import type { ShellFinding } from './command-rule.ts';
import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../reading.ts';
import { protectedPlace, reach, type ShellContext } from './target.ts';
import { isDynamic, isOpaque, showWord, type Word } from '../expansion/word.ts';

/** Programs that only read what they name. */
const READERS = new Set(
  'cat tac head tail less more most bat batcat grep egrep fgrep rg ag ack ls stat file wc diff cmp sort uniq cut jq test [ tree du md5sum sha1sum sha256sum sha512sum cksum basename dirname realpath readlink echo printf nl od xxd hexdump strings column fold rev comm paste join tr yamllint actionlint shellcheck cd pushd export declare local source . find fd fdfind git env read seq sleep date which type command set unset rm rmdir eval rimraf unlink'.split(
    ' ',
  ),
);
/** Programs that write what stands last, and read the rest. */
const LAST_IS_WRITTEN = new Set(['cp', 'ln', 'install', 'rsync', 'scp']);
/** Programs that write every path they name. */
const WRITERS = new Set(
  'mv tee touch mkdir truncate shred chmod chown chgrp sponge patch unzip vim vi nano ed ex split mkfifo mknod'.split(
    ' ',
  ),
);

/** Protected places, and what lies outside the workspace: writing there. */
export function judgePlaces(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  for (const { operator, target } of command.redirects) {
    if (operator === '<<<') continue;
    if (/^\/dev\/(?:tcp|udp)\//.test(target)) {
      if (context.isOffline) continue;
      return { verdict: 'ask', reason: `${showWord(target)} is a connection` };
    }
    if (/^\/dev\/(?:sd|nvme|hd|vd|mem|kmem|mapper)/.test(target) && operator !== '<')
      return { verdict: 'deny', reason: `${showWord(target)} is a device` };
    if (operator === '<') continue;
    const finding = judgeWrite(target, command, context);
    if (finding) return finding;
  }
  const args = command.argv.slice(1);
  const { name } = command;
  if (name === 'patch' || (name === 'git' && args.some((arg) => arg === 'apply' || arg === 'am'))) {
    for (const match of (command.stdin ?? '').matchAll(/^(?:\+\+\+|rename to|copy to) (?:b\/)?(\S+)/gm)) {
      const finding = judgeWrite(match[1] ?? '', command, context);
      if (finding) return finding;
    }
  }
  if (name === 'git') {
    const finding = judgeGitOutput(args, command, context);
    if (finding) return finding;
  }
  if (name === 'sed' || name === 'gsed' || name === 'awk' || name === 'gawk' || name === 'yq' || name === 'perl') {
    const inPlace =
      args.some((arg) => /^-\w*i|^--in-?place/.test(arg)) &&
      !(name === 'perl' && args.some((arg) => /^-[MI]/.test(arg) && !/^-\w*i/.test(arg)));
    return inPlace ? judgeInPlace(command, context) : undefined;
  }
  if (name === 'tar' || name === 'gtar' || name === 'bsdtar' || name === 'cpio')
    return judgeArchive(args, command, context);
  if (name === 'sort')
    return first(readOptions(args, ['-o', '--output', '-k', '-t']).values.get('-o'), command, context);
  if (name === 'wget' || name === 'curl') return judgeDownload(args, command, context);
  if (name === 'dd') return first(args.find((arg) => arg.startsWith('of='))?.slice(3), command, context);
  if (name === 'find')
    return first(
      args.find((_, at) => /^-f(?:printf?|ls|print0)$/.test(args[at - 1] ?? '')),
      command,
      context,
    );
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

/** Checkers that are pointed at settings or workflows to read them. */
const READS_SETTINGS =
  /^(?:eslint|prettier|markdownlint|markdownlint-cli2|cspell|vale|biome|oxlint|yamllint|ajv|check-jsonschema|nodejs|cargo|go|tsc|npm|pnpm|yarn)$/;

function toFinding(word: Word, place: NonNullable<ReturnType<typeof protectedPlace>>): ShellFinding {
  return { verdict: place === 'git' ? 'deny' : 'ask', reason: `${showWord(word)} is ${describePlace(place)}` };
}

function first(word: Word | undefined, command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  return word === undefined || word === '-' ? undefined : judgeWrite(word, command, context);
}

/** Git writes where it is told to: `git log --output=F`, `git archive -o F`, `git format-patch -o D`, `git bundle create F`. */
function judgeGitOutput(
  args: readonly Word[],
  command: SimpleCommand,
  context: ShellContext,
): ShellFinding | undefined {
  const targets = args.flatMap((arg, at) => {
    if (
      /^--output(?:-directory)?$/.test(arg) ||
      (arg === '-o' && /^(?:archive|format-patch)$/.test(args.find((it) => !it.startsWith('-')) ?? ''))
    )
      return [args[at + 1] ?? ''];
    if (args[at - 1] === 'create' && args[at - 2] === 'bundle') return [arg];
    return /^--output(?:-directory)?=/.test(arg) ? [arg.slice(arg.indexOf('=') + 1)] : [];
  });
  for (const target of targets) {
    const finding = first(target, command, context);
    if (finding) return finding;
  }
  return undefined;
}

function judgeWrite(word: Word, command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const place = protectedPlace(word, command, context);
  if (place) return toFinding(word, place);
  if (isOpaque(word))
    return { verdict: 'ask', reason: 'what it writes to is computed in a way that cannot be followed' };
  const outside = reach(word, command, context).find(({ kind }) => kind === 'outside' || kind === 'unknown');
  if (outside?.kind === 'outside') return { verdict: 'ask', reason: `${showWord(word)} lies outside the workspace` };
  return undefined;
}

/** A change of package.json that names what nothing runs. */
const ONLY_DESCRIBES = /\b(?:version|description|license|homepage|author|private|name|keywords|engines)\b/;

function judgeInPlace(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const code = new Set(command.code.map(({ text }) => text));
  for (const arg of command.argv.slice(1)) {
    if (code.has(arg) || arg.startsWith('-')) continue;
    const finding = judgeWrite(arg, command, context);
    if (finding) return finding;
    if (
      /(?:^|\/)package\.json$/.test(arg) &&
      [...code].some(
        (text) =>
          !ONLY_DESCRIBES.test(text) || /scripts|"(?:pre|post)?(?:install|test|build|start|prepare|lint)"/.test(text),
      )
    ) {
      return { verdict: 'ask', reason: 'it changes, or can change, the scripts of package.json, which others run' };
    }
  }
  return undefined;
}

function judgeCopy(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const { rest, values } = readOptions(command.argv.slice(1), [
    '-t',
    '--target-directory',
    '-m',
    '-o',
    '-g',
    '-S',
    '-e',
    '--exclude',
  ]);
  const target = values.get('-t') ?? values.get('--target-directory') ?? (rest.length > 1 ? rest.at(-1) : undefined);
  if (target !== undefined) {
    const finding = judgeWrite(target, command, context);
    if (finding) return finding;
  }
  for (const source of rest.slice(0, command.name === 'ln' ? undefined : -1)) {
    // A link makes its target writable under another name; a copied name keeps its meaning in the target.
    const place = command.name === 'ln' ? protectedPlace(source, command, context) : undefined;
    if (place) return toFinding(source, place);
    const folder = target?.replace(/\/?[^/]*$/, '') || '.';
    // A symbolic link is read from the folder it stands in.
    const seen = source.startsWith('/') || source.startsWith('~') ? source : `${folder}/${source}`;
    if (
      command.name === 'ln' &&
      reach(seen, command, context).some(({ kind }) => kind === 'outside' || kind === 'root')
    ) {
      return { verdict: 'ask', reason: `a link to ${showWord(source)} leads out of the workspace` };
    }
    if (target === undefined || command.name === 'ln') continue;
    const landing = judgeWrite(`${target}/${source.replace(/^.*\//, '')}`, command, context);
    if (landing && !isDynamic(source)) return landing;
  }
  return undefined;
}

/** Options of curl and wget that name a file or folder to write. */
const DOWNLOADS: Record<string, readonly string[]> = {
  curl: [
    ...['-o', '--output', '--output-dir', '-c', '--cookie-jar', '-D', '--dump-header', '--trace', '--trace-ascii'],
    ...['--stderr', '--libcurl', '--etag-save', '--hsts', '--alt-svc'],
  ],
  wget: [
    ...['-O', '--output-document', '-P', '--directory-prefix', '-o', '--output-file', '-a', '--append-output'],
    ...['--save-cookies', '--hsts-file', '--warc-file', '--rejected-log'],
  ],
};

function judgeDownload(args: readonly Word[], command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  for (const { value } of readOptions(args, DOWNLOADS[command.name] ?? []).all) {
    const finding = first(value, command, context);
    if (finding) return finding;
  }
  return undefined;
}

function judgeArchive(args: readonly Word[], command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const { values, all } = readOptions(args, ['-C', '--directory', '-f', '--file', '-D']);
  for (const word of [
    values.get('-C'),
    values.get('--directory'),
    ...all.filter(({ flag }) => flag === '-f').map(({ value }) => value),
  ]) {
    const finding = first(word, command, context);
    if (finding) return finding;
  }
  return undefined;
}
