import { tailOf } from '@klaus/core/cut-text';
import { execFile } from 'node:child_process';
import { toHostEnvironment } from '@klaus/adapters/system';
import { toolFailed } from '../../tool-failed.ts';

const MAX_OUTPUT = 1024 * 1024;

export interface HostGit {
  /** Absolute path of a folder that no sandbox can write. */
  folder: string;
  /** Options before each command. */
  options?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Variables of the user that begin with `GIT_` and are kept. Default: only certificates. */
  kept?: RegExp;
  signal: AbortSignal;
}

/**
 * Runs git outside of the sandbox, because it has the network and credentials of the user.
 *
 * @returns What it printed, without users and passwords of addresses.
 * @throws KlausError `tool.failed` with git's message.
 */
export function runHostGit(args: readonly string[], given: HostGit): Promise<string> {
  const { folder, options = [], env = {}, kept = /^GIT_SSL_/, signal } = given;
  const own = Object.fromEntries(
    Object.entries(toHostEnvironment()).filter(([name]) => !name.startsWith('GIT_') || kept.test(name)),
  );
  return new Promise((resolve, reject) => {
    const spawned = {
      cwd: folder,
      env: { ...own, ...env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
      maxBuffer: MAX_OUTPUT,
      signal,
    };
    execFile('git', ['-c', 'core.hooksPath=/dev/null', ...options, ...args], spawned, (error, stdout, stderr) => {
      const text = withoutUser(stderr.trim() || stdout.trim());
      const ended = error?.signal ? `git was ended by ${error.signal}. ` : '';
      if (error) reject(toolFailed(`${ended}${tailOf(text, 2_000)}` || withoutUser(error.message)));
      else resolve(text);
    });
  });
}

/** Removes user and password from the URLs in a text. */
export function withoutUser(text: string): string {
  return text.replaceAll(/([a-z][\w+.-]*:\/\/)[^\s/@]+@/gi, '$1');
}
