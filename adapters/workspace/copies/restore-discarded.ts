import { existsSync } from 'node:fs';
import type { CopyRecord } from './copy-record.ts';
import { block } from './commit-work.ts';
import { git, runGit, tryGit } from './git.ts';
import { findSaved } from './remove-copy.ts';

type Copy = Pick<CopyRecord, 'repository' | 'path' | 'branch'>;

/** What was saved of a discarded copy: its newest commit, and the folder with the objects. Undefined if nothing was. */
export async function findDiscarded(copy: Copy): Promise<{ commit: string; gitFolder: string } | undefined> {
  if (!existsSync(copy.repository)) return undefined;
  const commit = await findSaved(copy);
  if (commit === undefined) return undefined;
  const words = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  return { commit, gitFolder: await git(copy.repository, words) };
}

/**
 * Creates the branch of a discarded copy from what was saved of it.
 *
 * @throws KlausError `copy.blocked` if the repository has another branch of this name.
 */
export async function restoreDiscarded({ repository, branch }: Copy, commit: string): Promise<void> {
  const present = await tryGit(repository, ['rev-parse', '--verify', '-q', `refs/heads/${branch}`]);
  if (present === commit) return;
  if (
    present !== undefined &&
    (await runGit(repository, ['merge-base', '--is-ancestor', present, commit])).code !== 0
  ) {
    throw block(`${repository} has another branch ${branch}.`, {
      hint: `Rename it with \`git branch -m ${branch} NAME\`.`,
    });
  }
  await git(repository, ['update-ref', `refs/heads/${branch}`, commit]);
}
