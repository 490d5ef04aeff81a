import { isKlausError } from '@klaus/core/protocol';
import { runGit, type GitContext } from './git.ts';
import { findRepository } from './repository.ts';

/**
 * The paths that Git ignores by the present rules of the workspace. Tracked files are not ignored.
 *
 * @param paths Relative to the workspace.
 * @returns Empty without a repository and if Git fails.
 */
export async function findIgnored(context: GitContext, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  try {
    const repository = await findRepository(context);
    // The command does not support literal pathspecs. After `./` no character of a path is special.
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
