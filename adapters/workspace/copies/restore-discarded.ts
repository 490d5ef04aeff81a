import { existsSync } from 'node:fs';
import type { CopyRecord } from './copy-record.ts';
import { block } from './commit-work.ts';
import { git, runGit, tryGit } from './git.ts';
import { findSaved } from './remove-copy.ts';

/**
 * Creates the branch of a discarded copy from what was saved of it.
 *
 * @returns Its commit; undefined if nothing was saved.
 * @throws KlausError `copy.blocked` if the repository has another branch of this name.
 */
export async function restoreDiscarded(
  copy: Pick<CopyRecord, 'repository' | 'path' | 'branch'>,
): Promise<string | undefined> {
  const { repository, branch } = copy;
  if (!existsSync(repository)) return undefined;
  const commit = await findSaved(copy);
  if (commit === undefined) return undefined;
  const present = await tryGit(repository, ['rev-parse', '--verify', '-q', `refs/heads/${branch}`]);
  if (present === commit) return commit;
  if (
    present !== undefined &&
    (await runGit(repository, ['merge-base', '--is-ancestor', present, commit])).code !== 0
  ) {
    throw block(`${repository} has another branch ${branch}.`, {
      hint: `Rename it with \`git branch -m ${branch} NAME\`.`,
    });
  }
  await git(repository, ['update-ref', `refs/heads/${branch}`, commit]);
  return commit;
}
