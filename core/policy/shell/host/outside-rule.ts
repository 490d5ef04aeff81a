import { isBelow } from '../../path.ts';
import { toLanguage } from '../programs/interpreters.ts';
import { SHELLS } from '../programs/shells.ts';
import { ask, type ShellFinding } from '../rules/command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isKnown, showWord, type Word } from '../expansion/word.ts';
import { toSet } from '../../word-list.ts';
import type { HostFacts } from './host-facts.ts';
import { toHostPaths } from './host-words.ts';

/** Programs that only read the files of their arguments, or whose arguments are judged by rules of their own. */
const READS = toSet(
  'cat tac head tail less more most bat batcat grep egrep fgrep zgrep rg ag ack ugrep ls stat file wc diff colordiff cmp sort uniq cut jq yq xq test [ tree du df md5sum sha1sum sha256sum sha512sum b2sum cksum basename dirname realpath readlink echo printf nl od xxd hexdump strings column fold rev comm paste join tr cd pushd popd export declare local source . find fd fdfind locate git gh glab env read seq sleep date which type whereis command set unset eval exec man info help lsof ss netstat ps top htop kill rm rmdir unlink rimraf cp mv ln install mkdir touch tee chmod chown chgrp truncate shred dd tar gtar bsdtar zip zipinfo unzip rsync scp ssh sftp curl wget docker podman docker-compose nerdctl kubectl code open xdg-open ldd nm objdump readelf size pip pip3 npm pnpm yarn npx bunx bun cargo go rustup rustc gem bundle composer brew apt apt-get dpkg psql mysql mariadb sqlite3 mongosh redis-cli history alias trap wait exit return shopt ulimit umask hash true false : klaus claude tmux screen sudo nohup time xargs timeout watch nice ionice stdbuf setsid parallel make gmake cmake ninja gdb lldb strace ltrace perf valgrind shellcheck yamllint actionlint hadolint terraform tofu helm aws gcloud az sha1 cal bc expr let dircolors tput clear',
);
/** Folders of the system that programs read, and temporary ones. */
const COMMON =
  /^\/(?:usr|bin|sbin|lib\w*|opt|nix|etc|proc|sys|dev|tmp|var\/(?:tmp|log|run|lib|cache)|run|snap|System|Library|Applications|private\/(?:tmp|var))(?:\/|$)/;
/** Options that name configuration or caches, which are read. */
const READ_OPTION =
  /^--?(?:config\w*|c|settings|rcfile|cache[\w-]*|user-data-dir|data-dir|interpreter|python|node|sysroot|include|I|L|isystem|classpath|cp|path|project|root|ignore-path)(?:=|$)/i;

/** A program, other than those that only read, gets a path outside of the workspace, and could write or delete there. */
export function judgeOutside(command: SimpleCommand, host: HostFacts): ShellFinding | undefined {
  const { name, argv } = command;
  if (READS.has(name) || SHELLS.has(name) || argv.length < 2) return undefined;
  const code = new Set(command.code.map(({ text }) => text));
  // The first file of an interpreter is its program.
  let isProgram = toLanguage(name) !== undefined && code.size === 0;
  for (const [at, word] of argv.entries()) {
    if (at === 0 || code.has(word) || READ_OPTION.test(word) || READ_OPTION.test(argv[at - 1] ?? '')) continue;
    const isFile = isProgram && !word.startsWith('-');
    if (isFile) isProgram = false;
    const outside = isFile ? undefined : findOutside(word, command, host);
    if (outside !== undefined)
      return ask(`${name} gets ${showWord(word)}, which is outside the workspace, and could change it`);
  }
  return undefined;
}

function findOutside(word: Word, command: SimpleCommand, host: HostFacts): Word | undefined {
  if (
    !isKnown(word) ||
    !/(?:^|[=:,@])(?:\/(?!\/)|~|\.\.(?:\/|$))|^-[a-zA-Z][/~]/.test(word) ||
    /^[a-z]+:\/\//i.test(word)
  )
    return undefined;
  return toHostPaths(word, command, host)
    .map((path) => host.toReal(path))
    .find(
      (path) =>
        path !== '/' &&
        !isBelow(path, host.workspace) &&
        !COMMON.test(path) &&
        (isBelow(path, host.userHome) || host.exists(path.replace(/\/[^/]*$/, ''))),
    );
}
