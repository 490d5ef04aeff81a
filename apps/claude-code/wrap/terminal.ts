import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isatty } from 'node:tty';
import { quoteShellWord } from '@klaus/sdk/quote-shell-word';

/** Gives a program a terminal of its own. Part of util-linux. */
const SCRIPT = '/usr/bin/script';
/**
 * Runs the program as a job of a shell. Ctrl-Z stops it, and it continues at once: there is no shell to which the user
 * could return. Without a job, the kernel ignores the signal, and a program that has left the terminal waits forever.
 */
const AS_JOB = [
  'set -m 2>/dev/null; "$@"; code=$?',
  'while [ $code -gt 128 ] && jobs %% >/dev/null 2>&1; do fg >/dev/null; code=$?; done',
  'exit $code',
].join('\n');
/** Variables that describe the user's terminal. */
const VARIABLES = ['TERM', 'COLORTERM', 'TERM_PROGRAM', 'NO_COLOR', 'FORCE_COLOR', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'];
/** Leaves the second screen, shows the cursor, and ends mouse reports, pasted brackets and extended keys. */
const RESET = '\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[<u\x1b[0m';

export interface Terminal {
  /** True: all standard streams are a terminal. */
  readonly isInteractive: boolean;
  readonly env: Readonly<Record<string, string>>;
  /**
   * The command that gives the program a terminal of its own, so that Ctrl-C and job control are its own; it passes keys,
   * output and changes of the size on. Without a terminal, or without the program `script`: the command itself.
   */
  toCommand(words: readonly string[]): readonly string[];
  /** Restores the user's terminal after the program. @param isKilled True: it could not do this itself. */
  restore(isKilled: boolean): void;
}

/** The terminal of this process, with its present settings. */
export function openTerminal(env: Readonly<Record<string, string | undefined>>): Terminal {
  const isInteractive = [0, 1, 2].every((descriptor) => isatty(descriptor));
  const saved = isInteractive ? stty('-g') : undefined;
  return {
    isInteractive,
    env: Object.fromEntries(VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    toCommand(words) {
      if (!isInteractive || !existsSync(SCRIPT)) return words;
      const line = ['/bin/sh', '-c', AS_JOB, 'klaus', ...words].map(quoteShellWord).join(' ');
      return [SCRIPT, '-q', '-e', '-c', `exec ${line}`, '/dev/null'];
    },
    restore(isKilled) {
      if (saved === undefined) return;
      stty(saved);
      if (isKilled) process.stdout.write(RESET);
    },
  };
}

function stty(word: string): string {
  return spawnSync('stty', [word], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' }).stdout.trim();
}
