import { KlausError } from '@klaus/core/protocol';
import type { CopyRecord } from './copy-record.ts';
import { git, runGit, tryGit } from './git.ts';

/** A branch `klaus/NAME`; `klaus-NAME` where there is a branch `klaus`, below which Git creates no other one. */
export async function toFreeBranch(repository: string, branch: string): Promise<string> {
  return (await findAbove(repository, branch)) === undefined ? branch : branch.replace('/', '-');
}

/**
 * Creates the branch of a copy in its repository, or moves it forward.
 *
 * @throws KlausError `copy.blocked` if another branch is in the way.
 */
export async function createBranch(
  { repository, branch }: Pick<CopyRecord, 'repository' | 'branch'>,
  commit: string,
): Promise<void> {
  const present = await tryGit(repository, ['rev-parse', '--verify', '-q', `refs/heads/${branch}`]);
  const isOther =
    present !== undefined && (await runGit(repository, ['merge-base', '--is-ancestor', present, commit])).code !== 0;
  const above = await findAbove(repository, branch);
  if (isOther || above !== undefined) {
    const name = above ?? branch;
    throw new KlausError('copy.blocked', `${repository} has another branch ${name}.`, {
      hint: `Rename it with \`git branch -m ${name} NAME\`.`,
    });
  }
  await git(repository, ['update-ref', `refs/heads/${branch}`, commit]);
}

/** The branch `klaus` for `klaus/NAME`. Some file systems ignore case. */
async function findAbove(repository: string, branch: string): Promise<string | undefined> {
  const [folder = '', name] = branch.split('/');
  if (name === undefined) return undefined;
  const listed = await git(repository, ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/']);
  return listed.split('\n').find((one) => one.toLowerCase() === folder);
}
