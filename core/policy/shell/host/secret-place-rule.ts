import { isSecretPlace, SECRET_HOME_FOLDERS } from '../../secrets/secret-places.ts';
import { ask, type ShellFinding } from '../rules/command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { hasGlob, isDynamic, showWord, type Word } from '../expansion/word.ts';
import { toSet } from '../../word-list.ts';
import type { HostFacts } from './host-facts.ts';
import { canBeIn, contains, toHostPaths } from './host-words.ts';

const CLIPBOARD = toSet('pbpaste xclip xsel wl-paste');
/** Programs that show names or sizes, not content. */
const NAMES_ONLY = toSet(
  'echo printf ls stat test [ du touch mkdir basename dirname realpath readlink cd pushd which type command tree fd fdfind env printenv exec trap eval seq let export declare local typeset readonly alias set unset chmod df file wc ssh ssh-keygen ssh-add git',
);
/** Programs that read everything below a folder. */
const RECURSIVE: Readonly<Record<string, RegExp | true>> = {
  grep: /^(?:-\w*[rR]|--recursive|--dereference-recursive)/,
  egrep: /^-\w*[rR]/,
  fgrep: /^-\w*[rR]/,
  cp: /^(?:-\w*[rRa]|--recursive|--archive)/,
  scp: /^-\w*r/,
  find: /^-(?:exec|execdir|ok|okdir|fprint|delete)/,
  zip: /^(?:-\w*r|--recurse)/,
  rg: true,
  ag: true,
  ack: true,
  ugrep: true,
  tar: true,
  gtar: true,
  bsdtar: true,
  rsync: true,
  rclone: true,
  restic: true,
  borg: true,
  '7z': true,
  trufflehog: true,
  gitleaks: true,
};
/** Folders of the system that contain secrets. */
const WIDE = ['/etc', '/proc', '/run', '/root'];

/** Reads a place outside of the workspace that holds secrets, or a folder that contains one. */
export function judgeSecretPlaces(command: SimpleCommand, host: HostFacts): ShellFinding | undefined {
  const { name, argv, redirects } = command;
  if (CLIPBOARD.has(name)) return ask(`${name} reads the clipboard`);
  if (name === 'npm' && argv.some((word) => /_auth(?:Token)?$|_password$/.test(word)))
    return ask('it shows a token of npm');
  const words = NAMES_ONLY.has(name) ? [] : argv.slice(1);
  const inputs = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  for (const word of [...words, ...inputs]) {
    for (const path of toHostPaths(word, command, host)) {
      if (isInWorkspace(path, host)) continue;
      if (namesPlace(path, host)) return ask(`${showWord(word)} is, or can be, a place with secrets`);
      if (isRecursive(command) && isWide(path, host))
        return ask(`${name} reads ${showWord(word)}, which contains places with secrets`);
    }
  }
  return undefined;
}

function isInWorkspace(path: Word, { workspace }: HostFacts): boolean {
  return path === workspace || path.startsWith(`${workspace}/`);
}

function namesPlace(path: Word, host: HostFacts): boolean {
  if (!hasGlob(path) && !isDynamic(path)) return isSecretPlace(path, host);
  // `~/.s*/id_*`: a pattern counts if it can match.
  return (
    SECRET_HOME_FOLDERS.some((folder) => canBeIn(path, `${host.userHome}/${folder}`)) ||
    /^\/proc\/[^/]+\/(?:environ|mem)/.test(path)
  );
}

function isRecursive({ name, argv }: SimpleCommand): boolean {
  const option = Object.hasOwn(RECURSIVE, name) ? RECURSIVE[name] : undefined;
  return option === true || (option !== undefined && argv.some((word) => option.test(word)));
}

function isWide(path: Word, { userHome }: HostFacts): boolean {
  return contains(path, `${userHome}/.ssh`) || WIDE.includes(path);
}
