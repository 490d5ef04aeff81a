import { ask, askUnknown, deny, type ShellFinding } from './command-rule.ts';
import { findModes, setsUserId } from '../programs/file-mode.ts';
import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isBroad, namesSecret, protectedPlace, reach, type ShellContext } from './target.ts';
import { describePlace } from '../../places.ts';
import {
  ANY_NAME,
  countKnown,
  hasGlob,
  isDynamic,
  isKnown,
  showWord,
  toGlobWord,
  type Word,
} from '../expansion/word.ts';
import { forNames } from '../../word-list.ts';

const SETS_USER_ID = 'it sets the set-user-ID bit';

type Judge = (command: SimpleCommand, args: readonly Word[], context: ShellContext) => ShellFinding | undefined;

const JUDGES: Readonly<Record<string, Judge>> = {
  ...forNames('rm unlink rmdir rimraf trash srm', judgeRemoval),
  ...forNames('find fd', judgeFind),
  mv: judgeMove,
  ...forNames<Judge>('truncate shred wipe fallocate blkdiscard wipefs', ({ name }) =>
    ask(`${name} destroys the content of files`),
  ),
  dd: judgeRawCopy,
  ...forNames('chmod chown chgrp chattr setfacl', judgeMode),
  ...forNames('install mkdir mkfifo', judgeNewMode),
  kill: judgeKill,
  ...forNames<Judge>('pkill killall killall5 skill', ({ name }) => ask(`${name} ends processes by name`)),
  rsync: judgeSync,
  ...forNames('tar gtar bsdtar zip 7z 7za 7zz rar gzip xz bzip2 zstd', judgeArchived),
  ...forNames('sed perl tee cp sponge', judgeOverwrite),
};

/** Destruction: removes more than a build does, or something that an undo may not restore. */
export function judgeDestruction(command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const judge = Object.hasOwn(JUDGES, command.name) ? JUDGES[command.name] : undefined;
  if (judge) return judge(command, command.argv.slice(1), context);
  return /^mkfs|^mke2fs$/.test(command.name) ? deny(`${command.name} formats a disk`) : judgeRedirects(command);
}

function judgeRawCopy(_command: SimpleCommand, args: readonly Word[]): ShellFinding | undefined {
  const overwrites = args.some((arg) => arg.startsWith('of=') && arg !== 'of=/dev/null');
  return overwrites ? ask('dd overwrites what it writes to') : undefined;
}

function judgeKill(_command: SimpleCommand, args: readonly Word[]): ShellFinding | undefined {
  const isWide = args.some((arg, at) => /^[01]$/.test(arg) || (arg === '-1' && (at > 0 || args.length === 1)));
  return isWide ? ask('it ends every process, or the first one') : undefined;
}

function judgeSync(_command: SimpleCommand, args: readonly Word[]): ShellFinding | undefined {
  const deletes = args.some((arg) => arg.startsWith('--del') || arg.startsWith('--remove-s'));
  return deletes ? ask('rsync deletes files') : undefined;
}

const DELETING: Record<string, RegExp> = {
  tar: /^--(?:remov\w*(?:-\w*)?|remove-files|recursive-unlink)$/,
  zip: /^(?:-[a-zA-Z0-9]*m[a-zA-Z0-9]*|--move)$/,
  '7z': /^-sdel$/,
  rar: /^(?:m|mf|-d[fwr])$/,
};

/** Archivers that delete the files they pack: `tar --remove-files`, `zip -m`. */
function judgeArchived(command: SimpleCommand, args: readonly Word[], context: ShellContext): ShellFinding | undefined {
  const name = command.name.replace(/^(?:g|bsd)tar$/, 'tar').replace(/^7z.$/, '7z');
  const option = args.find(
    (arg) => DELETING[name]?.test(arg) || (name === 'tar' && arg.length > 4 && '--remove-files'.startsWith(arg)),
  );
  if (option === undefined) return judgeRedirects(command);
  const folders = readOptions(args, ['-C', '--directory']).all.map(({ value }) => `${value}/`);
  for (const arg of args) {
    if (arg.startsWith('-')) continue;
    for (const folder of ['', ...folders]) {
      const finding = judgeTarget(arg.startsWith('/') ? arg : folder + arg, { command, context, recursive: true });
      if (finding?.verdict === 'deny') return finding;
    }
  }
  return ask(`${showWord(option)} deletes the files that it packs`);
}

function judgeRedirects(command: SimpleCommand): ShellFinding | undefined {
  const wide = command.redirects.find(({ operator, target }) => operator.includes('>') && hasGlob(target));
  return wide ? ask(`it empties every file that ${showWord(wide.target)} matches`) : undefined;
}

function judgeRemoval(command: SimpleCommand, args: readonly Word[], context: ShellContext): ShellFinding | undefined {
  const { flags, rest } = readOptions(args);
  const recursive =
    command.name === 'rimraf' || [...flags].some((flag) => /^(?:-r|-R|--recursive|--rec.*)$/.test(flag));
  let finding: ShellFinding | undefined;
  for (const word of rest) {
    const next = judgeTarget(word, { command, context, recursive });
    if (next?.verdict === 'deny') return next;
    finding ??= next;
  }
  return finding;
}

interface Removal {
  command: SimpleCommand;
  context: ShellContext;
  recursive: boolean;
}

function judgeTarget(word: Word, { command, context, recursive }: Removal): ShellFinding | undefined {
  const shown = showWord(word);
  let finding: ShellFinding | undefined;
  for (const found of reach(word, command, context)) {
    if (found.kind === 'root') return deny(`${shown} is the workspace, or a folder that contains it`);
    if (found.kind === 'outside') finding ??= ask(`${shown} is outside the workspace`);
    if (found.kind === 'unknown') finding ??= askUnknown(`what it removes is only known at run time: ${shown}`);
    if (found.kind === 'inside') {
      const { relative } = found;
      if (isBroad(relative) && !relative.includes('/'))
        return recursive
          ? deny(`${shown} is everything in the workspace`)
          : ask(`${shown} is every file of the workspace`);
      if (isDynamic(relative) && !isAnchored(relative))
        finding ??= askUnknown(`what it removes is only known at run time: ${shown}`);
      if (recursive && hasGlob(relative) && !relative.includes('/') && countKnown(relative) < 2)
        finding ??= ask(`${shown} matches much of the workspace`);
    }
  }
  const place = protectedPlace(word, command, context);
  if (place) return (place === 'git' ? deny : ask)(`${shown} is ${describePlace(place)}`);
  if (namesSecret(word, command, context)) return ask(`${shown} is, or can be, a secret file`);
  return finding;
}

/** True if the unknown part follows a known folder or beginning. */
function isAnchored(relative: string): boolean {
  const at = relative.search(/[\uE000\uE004]/);
  return at > 0 && relative.slice(0, at).includes('/');
}

function judgeMove(command: SimpleCommand, args: readonly Word[], context: ShellContext): ShellFinding | undefined {
  const { rest, values } = readOptions(args, ['-t', '--target-directory', '-S']);
  const sources = values.has('-t') ? rest : rest.slice(0, -1);
  const target = values.get('-t') ?? rest.at(-1) ?? '';
  const leaves = reach(target, command, context).some(({ kind }) => kind === 'temporary');
  for (const word of sources) {
    if (leaves && reach(word, command, context).some(({ kind }) => kind === 'inside'))
      return ask(`${showWord(word)} would be lost with the temporary folder`);
    const finding = judgeTarget(word, { command, context, recursive: true });
    if (finding && !(isDynamic(word) && finding.verdict === 'ask' && countKnown(word) === 0)) return finding;
  }
  return undefined;
}

function judgeFind(command: SimpleCommand, args: readonly Word[], context: ShellContext): ShellFinding | undefined {
  if (!args.includes('-delete')) return undefined;
  const at = args.findIndex((arg) => /^[-(!]/.test(arg));
  const starts = args.slice(0, Math.max(0, at));
  const roots = starts.length > 0 ? starts : ['.'];
  const negated = (index: number) => args[index - 1] === '!' || args[index - 1] === '-not';
  const filters = args.flatMap((arg, index) =>
    /^-i?(?:name|path|wholename|regex)$/.test(arg) && !negated(index) ? [args[index + 1] ?? ''] : [],
  );
  const narrow = filters.find(
    (filter) => countKnown(toGlobWord(filter).replace(/^.*\//, '')) > 1 && !isBroad(toGlobWord(filter)),
  );
  const secret = filters.find((filter) => namesSecret(filter, command, context));
  if (secret !== undefined) return ask(`it deletes ${showWord(secret)}, which is, or can be, a secret file`);
  const isAll = roots.some((root) => isElsewhere(root, command, context) || !isKnown(root));
  if (!isAll) {
    const place = roots.map((root) => protectedPlace(root, command, context)).find((found) => found !== undefined);
    return place && deny(`it deletes ${describePlace(place)}`);
  }
  if (narrow !== undefined || args.includes('-empty')) return undefined;
  return deny('it deletes everything that it finds in the workspace');
}

function isElsewhere(word: Word, command: SimpleCommand, context: ShellContext): boolean {
  return reach(word, command, context).some(({ kind }) => kind !== 'inside' && kind !== 'temporary');
}

/** Programs that create files with a mode. */
function judgeNewMode(_command: SimpleCommand, args: readonly Word[]): ShellFinding | undefined {
  const { all } = readOptions(args, ['-m', '--mode']);
  return all.some(({ flag, value }) => /^(?:-m|--mode)$/.test(flag) && setsUserId(value))
    ? ask(SETS_USER_ID)
    : undefined;
}

function judgeMode(command: SimpleCommand, args: readonly Word[], context: ShellContext): ShellFinding | undefined {
  const { flags, rest } = readOptions(
    args.filter((arg) => !/^[-+][rwxXst]+$/.test(arg) || arg === '-R'),
    ['--reference'],
  );
  const [mode = '', ...paths] = rest;
  if (command.name === 'chattr' || command.name === 'setfacl')
    return ask(`${command.name} changes the owner or the permissions of files`);
  if (command.name === 'chmod' && findModes(args).some(setsUserId)) return ask(SETS_USER_ID);
  if (command.name === 'chmod' && /^0?0?00?0?$|^a?-[rwx]+$|^a=$/.test(mode) && flags.has('-R'))
    return ask('it removes all permissions');
  if (flags.has('-R') || flags.has('--recursive')) {
    const wide = [...paths, mode].find(
      (path) => isBroad(path) || (path !== mode && isElsewhere(path, command, context)),
    );
    if (wide !== undefined) return ask(`it changes the permissions of ${showWord(wide)} and everything in it`);
  }
  if (command.name === 'chmod' && isBroad(paths[0] ?? '') && /^0?0?0[0-7]?[0-7]?$/.test(mode))
    return ask('it removes all permissions');
  return undefined;
}

function judgeOverwrite(
  command: SimpleCommand,
  args: readonly Word[],
  context: ShellContext,
): ShellFinding | undefined {
  const { name } = command;
  if (name === 'cp' && args.includes('/dev/null') && hasGlob(args.at(-1) ?? '')) return ask('it empties many files');
  const inPlace = name === 'tee' || name === 'sponge' || args.some((arg) => /^-\w*i|^--in-place/.test(arg));
  const wide = inPlace && name !== 'cp' ? args.find((arg) => isBroad(arg) || arg.includes(ANY_NAME)) : undefined;
  if (wide === undefined) return judgeRedirects(command);
  const deletes = command.code.some(({ text }) => /^(?:\d*(?:,\$)?d|\$!?d|s\/\.\*\/\/.*)$/.test(text.trim()));
  if (name === 'tee' || deletes) return ask(`it empties every file that ${showWord(wide)} matches`);
  const root = reach(wide, command, context).some((found) => found.kind === 'inside' && !found.relative.includes('/'));
  return root && command.dotglob ? ask(`it changes every file of the workspace`) : judgeRedirects(command);
}
