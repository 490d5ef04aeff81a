import { toolFailed } from '../../tool-failed.ts';
import { runGit, toGitError, type GitContext, type GitOptions } from '../git.ts';
import type { GitText, GitTextOptions } from './git-text.ts';

/** Milliseconds of one command. */
const TIMEOUT_MS = 30_000;
/** Paths that one command can leave out. */
const MAX_LEFT_OUT = 1_000;

/** Options of each diff. No program that the repository names runs for it. */
const DIFF = [
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--ignore-submodules=dirty',
  '--relative',
];

export interface DiffRun extends GitTextOptions, GitOptions {
  /** The command up to its revision. */
  command: readonly string[];
}

/** Runs Git, or a script that calls it, in the sandbox. `isCut`: it printed more than 4 MiB. @throws KlausError `tool.failed`. */
export async function runText(
  context: GitContext,
  command: readonly string[],
  options: GitOptions,
): Promise<{ text: string; isCut: boolean }> {
  const result = await runGit(context, command, { timeoutMs: TIMEOUT_MS, ...options });
  if (result.exitCode !== 0) throw toGitError(result);
  return { text: result.stdout, isCut: result.truncated };
}

/**
 * Runs a command that prints a diff, without the hidden files: Git does not print their content at all.
 *
 * @throws KlausError `tool.failed`.
 */
export async function runDiff(context: GitContext, run: DiffRun): Promise<GitText> {
  const { command, isHidden, maxChars, ...options } = run;
  const named = await runText(context, [...command, ...DIFF, '--name-only', '-z', '--', '.'], options);
  const paths = [...new Set(named.text.split('\0').filter((path) => path !== ''))];
  const leftOut = paths.filter(isHidden);
  if (named.isCut || leftOut.length > MAX_LEFT_OUT) {
    throw toolFailed('Too many files are changed.', { hint: 'Name the files in the message instead.' });
  }
  const pathspecs = ['.', ...leftOut.map((path) => `:(exclude,literal)${path}`)];
  const { text, isCut } = await runText(context, [...command, ...DIFF, '--patch', '--', ...pathspecs], {
    ...options,
    env: { ...options.env, GIT_LITERAL_PATHSPECS: '0' },
  });
  const isTooLong = isCut || text.length > maxChars;
  return { text: isTooLong ? null : text, size: text.length, files: paths.filter((path) => !isHidden(path)), leftOut };
}
