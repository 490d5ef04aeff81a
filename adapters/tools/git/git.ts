import { constants } from 'node:os';
import { KlausError, quoteShellWord, showName } from '@klaus/core/protocol';
import type { ExecRequest, ExecResult, ToolContext } from '@klaus/core/agent';
import { findBlockingFile } from '@klaus/adapters/system';
import { toOfflineEnvironment } from '../shell/offline.ts';
import { toolFailed } from '../tool-failed.ts';
import { findRepository, noRepository, type Repository } from './repository.ts';

export type GitContext = Pick<ToolContext, 'workspace' | 'sandbox' | 'signal'>;

/** Longest output of one Git command, in bytes. */
export const KEEP_BYTES = 4 * 1024 * 1024;

/** Settings that override the repository's. The list cannot be complete, so Git still runs in the sandbox. */
const SETTINGS = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.quotePath': 'false',
  'core.splitIndex': 'false',
  'diff.external': '',
  // All texts that Klaus gives to Git and reads from it.
  'i18n.commitEncoding': 'UTF-8',
  'i18n.logOutputEncoding': 'UTF-8',
  // The user id inside the sandbox may differ from the one outside.
  'safe.directory': '*',
};

/**
 * Removes folders of the workspace from PATH: a program named git in them must not access Git data outside. `$0` is the
 * workspace.
 */
const WITHOUT_WORKSPACE = `
clean=
IFS=:
set -f
for folder in $PATH; do
  case $folder/ in "$0"/*) ;; /*) clean=$clean:$folder ;; esac
done
unset IFS
set +f
PATH=\${clean#:}
export PATH
exec "$@"
`;

export interface GitOptions {
  repository: Repository;
  env?: Readonly<Record<string, string>>;
  stdin?: ExecRequest['stdin'];
  onOutput?: ExecRequest['onOutput'];
  /** Default: as configured for the sandbox. */
  timeoutMs?: number;
  /** Most bytes of output. Default {@link KEEP_BYTES}. */
  keepBytes?: number;
  binds?: readonly { path: string; writable: boolean }[];
  /** True: the command changes nothing. Default false. */
  onlyReads?: boolean;
}

/** Runs Git, or a script that calls it, in the sandbox. */
export async function runGit(
  context: GitContext,
  command: readonly string[],
  options: GitOptions,
): Promise<ExecResult> {
  const { repository } = options;
  const gitDirs = [...new Set([repository.gitDir, repository.commonDir])];
  const blocking = findBlockingFile({ top: repository.top, gitDirs });
  if (blocking !== undefined)
    throw toolFailed(`${blocking} is a named pipe or a device, for which Git would wait.`, { hint: 'Remove it.' });
  const variables = {
    ...toEnvironment(repository),
    // Commands can write the home folder of the sandbox, whose Git settings could name programs.
    ...(context.sandbox.name === 'host' ? {} : { GIT_CONFIG_GLOBAL: '/dev/null' }),
    ...options.env,
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quoteShellWord(value)}`);
  const result = await context.sandbox.exec({
    command: ['/bin/sh', '-c', [...exports, WITHOUT_WORKSPACE].join('\n'), context.workspace.root, ...command],
    cwd: context.workspace.root,
    // The same as for run_command, so that a prestarted sandbox can be used.
    env: toOfflineEnvironment(context, false),
    binds: [...toDataBinds(context, options), ...(options.binds ?? [])],
    keepBytes: options.keepBytes ?? KEEP_BYTES,
    signal: context.signal,
    stdin: options.stdin,
    onOutput: options.onOutput,
    ...(options.onlyReads === true ? { onlyReads: true } : {}),
    ...(options.timeoutMs === undefined ? {} : { limits: { timeoutMs: options.timeoutMs } }),
  });
  if (result.cancelled) throw new KlausError('cancelled', 'Git was cancelled.');
  if (result.timedOut) throw toolFailed('Git timed out.');
  if (result.exitCode === 127) throw toolFailed('Git is not available in the sandbox.', { hint: 'Install git.' });
  if (result.exitCode !== 0 && /not a git repository/i.test(result.stderr)) throw noRepository();
  return result;
}

/** The Git data outside of the workspace. */
function toDataBinds({ sandbox }: GitContext, { repository, onlyReads }: GitOptions): ExecRequest['binds'] & {} {
  const { inside, linked, commonDir, gitDir } = repository;
  const isWritten = linked === true && onlyReads !== true;
  // The protection of bubblewrap mounts it writable, without its configuration and hooks.
  if (inside || (isWritten && sandbox.name === 'bubblewrap')) return [];
  return [...new Set([commonDir, gitDir])].map((path) => ({ path, writable: isWritten }));
}

/** Finds the repository and runs one Git command. Bytes that are not UTF-8, such as those of names, are shown like `\\xff`. */
export async function git(context: GitContext, args: readonly string[]): Promise<ExecResult> {
  return runShownGit(context, ['git', '--no-pager', ...args], { repository: await findRepository(context) });
}

/** As {@link runGit}, for output that is shown and not read by Klaus. */
export async function runShownGit(
  context: GitContext,
  command: readonly string[],
  options: Omit<GitOptions, 'onOutput'>,
): Promise<ExecResult> {
  const parts: Uint8Array[] = [];
  let left = options.keepBytes ?? KEEP_BYTES;
  const onOutput: GitOptions['onOutput'] = (chunk, stream) => {
    if (stream !== 'stdout' || left <= 0) return;
    left -= chunk.length;
    parts.push(Uint8Array.from(chunk));
  };
  const result = await runGit(context, command, { ...options, onOutput });
  if (result.truncated || !result.stdout.includes('\uFFFD')) return result;
  return { ...result, stdout: showName(Buffer.concat(parts)) };
}

function toEnvironment(repository: Repository): Record<string, string> {
  const settings = Object.entries(SETTINGS).flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return {
    GIT_DIR: repository.gitDir,
    GIT_WORK_TREE: repository.top,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_CONFIG_COUNT: String(Object.keys(SETTINGS).length),
    ...Object.fromEntries(settings),
    LC_ALL: 'C.UTF-8',
  };
}

export function toGitError(result: ExecResult): KlausError {
  const words = (result.stderr || result.stdout).trim().split('\n').slice(0, 5).join('\n');
  const signal = result.exitCode === null ? (result.signal ?? 'a signal') : toSignal(result.exitCode);
  if (signal !== undefined) {
    const limits = result.exceeded?.length ? ` (${result.exceeded.join('; ')})` : '';
    return toolFailed(`git was ended by ${signal}${limits}.`, {
      hint: words === '' ? 'It may have reached a limit of memory or time.' : `Its last output: ${words}`,
    });
  }
  return toolFailed(`git failed with exit code ${result.exitCode}: ${words || 'no message'}`);
}

/** The signal that ended a program of a script. Git itself ends with codes up to 129. */
function toSignal(exitCode: number): string | undefined {
  if (exitCode < 130) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}

/** @throws KlausError `tool.failed` for text that could be an option or is not a revision. */
export function checkRevision(ref: string): string {
  if (/^[^\s\0-][^\s\0]*$/.test(ref) && ref.length <= 500 && ref.isWellFormed()) return ref;
  throw toolFailed(`${JSON.stringify(ref.slice(0, 100))} is not a Git revision.`);
}
