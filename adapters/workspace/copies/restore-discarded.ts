import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { CopyRecord } from './copy-record.ts';
import { block } from './commit-work.ts';
import { git, runGit, tryGit } from './git.ts';
import { DISCARDED } from './remove-copy.ts';

/**
 * Creates the branch of a discarded copy from what was saved of it.
 *
 * @returns Its commit; undefined if nothing was saved.
 * @throws KlausError `copy.blocked` if the repository has another branch of this name.
 */
export async function restoreDiscarded({
  repository,
  path,
  branch,
}: Pick<CopyRecord, 'repository' | 'path' | 'branch'>): Promise<string | undefined> {
  if (!existsSync(repository)) return undefined;
  const commit = await tryGit(repository, ['rev-parse', '--verify', '-q', `${DISCARDED}${basename(path)}/${branch}`]);
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
