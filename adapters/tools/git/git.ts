import { optional } from '@klaus/core/optional';
import { KlausError } from '@klaus/core/protocol';
import type { ExecRequest, ExecResult, ToolContext } from '@klaus/core/agent';
import { toOfflineEnvironment } from '../shell/offline.ts';
import { quote } from '../shell/quote.ts';
import { findRepository, noRepository, type Repository } from './repository.ts';

export type GitContext = Pick<ToolContext, 'workspace' | 'sandbox' | 'signal'>;

/** Output that is kept of one Git command, in bytes. */
export const KEEP_BYTES = 4 * 1024 * 1024;

/**
 * What a repository's own configuration must not decide. Git runs in the sandbox all the same: this list
 * cannot be complete.
 */
const SETTINGS = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.quotePath': 'false',
  'core.splitIndex': 'false',
  'diff.external': '',
  // Inside the sandbox the user may have another number than outside.
  'safe.directory': '*',
};

/**
 * Takes the workspace's own folders out of PATH: a program called git that lies there must not see or write Git
 * data outside it. `$0` is the workspace.
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
  /** Each piece of output as it comes. */
  onOutput?: ExecRequest['onOutput'];
  /** Default: that of the sandbox. */
  timeoutMs?: number;
  /** Further places to bind. */
  binds?: readonly { path: string; writable: boolean }[];
}

/** Runs Git, or a script that calls it, in the sandbox, on the workspace's repository. */
export async function runGit(
  context: GitContext,
  command: readonly string[],
  options: GitOptions,
): Promise<ExecResult> {
  const { repository } = options;
  const binds = repository.inside
    ? []
    : [repository.commonDir, repository.gitDir].map((path) => ({ path, writable: false }));
  const variables = {
    ...toEnvironment(repository),
    // In a sandbox the home folder is one that commands write, and its settings name programs.
    ...(context.sandbox.name === 'host' ? {} : { GIT_CONFIG_GLOBAL: '/dev/null' }),
    ...options.env,
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}`);
  const result = await context.sandbox.exec({
    command: ['/bin/sh', '-c', [...exports, WITHOUT_WORKSPACE].join('\n'), context.workspace.root, ...command],
    cwd: context.workspace.root,
    // That of run_command: a sandbox that was made ahead fits then.
    env: toOfflineEnvironment(context, false),
    binds: [...(repository.gitDir === repository.commonDir ? binds.slice(0, 1) : binds), ...(options.binds ?? [])],
    keepBytes: KEEP_BYTES,
    signal: context.signal,
    ...optional({ stdin: options.stdin, onOutput: options.onOutput }),
    ...(options.timeoutMs === undefined ? {} : { limits: { timeoutMs: options.timeoutMs } }),
  });
  if (result.cancelled) throw new KlausError('cancelled', 'Git was stopped.');
  if (result.timedOut) throw new KlausError('tool.failed', 'Git took too long and was stopped.');
  if (result.exitCode === 127)
    throw new KlausError('tool.failed', 'There is no git in the sandbox.', { hint: 'Install git.' });
  if (result.exitCode !== 0 && /not a git repository/i.test(result.stderr)) throw noRepository();
  return result;
}

/** As {@link runGit} for one Git command, finding the repository first. */
export async function git(context: GitContext, args: readonly string[]): Promise<ExecResult> {
  return runGit(context, ['git', '--no-pager', ...args], { repository: await findRepository(context) });
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

/** Git's complaint as an error for the model. */
export function toGitError(result: ExecResult): KlausError {
  const words = (result.stderr || result.stdout).trim().split('\n').slice(0, 5).join('\n');
  return new KlausError('tool.failed', `git failed with exit code ${result.exitCode}: ${words || 'no message'}`);
}

/**
 * A revision as the model gave it.
 *
 * @throws KlausError `tool.failed` for what could be an option or no revision at all.
 */
export function checkRevision(ref: string): string {
  if (/^[^\s\0-][^\s\0]*$/.test(ref) && ref.length <= 500 && ref.isWellFormed()) return ref;
  throw new KlausError('tool.failed', `${JSON.stringify(ref.slice(0, 100))} is no Git revision.`);
}
