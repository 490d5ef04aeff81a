import { isKlausError } from '@klaus/core/protocol';
import { runGit, type GitContext } from './git.ts';
import { findRepository } from './repository.ts';

/**
 * Which of the paths Git ignores by the rules of the workspace as it is now. What Git tracks is none of them.
 *
 * @param paths Relative to the workspace.
 * @returns Nothing without a repository, and where Git fails.
 */
export async function findIgnored(context: GitContext, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  try {
    const repository = await findRepository(context);
    // The command takes no literal paths; behind this beginning nothing in a path has a meaning of its own.
    const stdin = paths.map((path) => `./${path}\0`).join('');
    const env = { GIT_LITERAL_PATHSPECS: '0' };
    const result = await runGit(context, ['git', 'check-ignore', '-z', '--stdin'], { repository, stdin, env });
    if (result.exitCode !== 0 || result.truncated) return new Set();
    return new Set(result.stdout.split('\0').flatMap((path) => (path === '' ? [] : [path.slice(2)])));
  } catch (error) {
    if (isKlausError(error) && error.code !== 'cancelled') return new Set();
    throw error;
  }
}
