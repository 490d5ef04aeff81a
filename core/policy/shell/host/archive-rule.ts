import { ask, type ShellFinding } from '../rules/command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isKnown, showWord } from '../expansion/word.ts';
import type { HostFacts } from './host-facts.ts';
import { toHostPaths } from './host-words.ts';

/** Words with which an archiver writes the files of an archive. */
const EXTRACTS: Readonly<Record<string, RegExp>> = {
  tar: /^-?[a-zA-Z]*x|^--extract|^--get/,
  gtar: /^-?[a-zA-Z]*x|^--extract|^--get/,
  bsdtar: /^-?[a-zA-Z]*x|^--extract/,
  cpio: /^-[a-zA-Z]*i|^--extract/,
  jar: /^-?[a-zA-Z]*x|^--extract/,
  '7z': /^[xe]$/,
  '7za': /^[xe]$/,
  unrar: /^[xe]$/,
};
const ARCHIVE = /\.(?:tar|tgz|tbz2?|txz|tzst|tar\.\w+|zip|jar|war|whl|7z|rar|cpio|gz|xz|bz2|zst)$/i;

/** Unpacks an archive that the session made or fetched: its files can be anywhere in the folder, or have any name. */
export function judgeArchives(command: SimpleCommand, host: HostFacts): ShellFinding | undefined {
  const { name, argv, redirects } = command;
  const args = argv.slice(1);
  const isUnzip = name === 'unzip' && !args.some((arg) => /^-[a-zA-Z]*[lptvzZ]/.test(arg));
  const pattern = Object.hasOwn(EXTRACTS, name) ? EXTRACTS[name] : undefined;
  if (!isUnzip && !args.some((arg, at) => pattern?.test(arg) && (at === 0 || arg.startsWith('-')))) return undefined;
  if (args.some((arg) => /^(?:--transform|--xform|-s$|-s.)/.test(arg)) && name.endsWith('tar'))
    return ask('it gives the files of an archive other names');
  const inputs = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  for (const word of [...args, ...inputs]) {
    if (!isKnown(word) || !ARCHIVE.test(word)) continue;
    if (toHostPaths(word, command, host).some((path) => host.isNew(path)))
      return ask(`it unpacks ${showWord(word)}, which this session made or fetched`);
  }
  return undefined;
}
