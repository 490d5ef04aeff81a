import { KlausError } from '@klaus/core/protocol';
import { git, runGit } from '../copies/git.ts';

/** A repository, and what of it is checked out. */
export interface RepositorySource {
  /** `https://`, `ssh://`, `git@host:path`, or the absolute path of a repository. */
  url: string;
  /** A branch, a tag or a complete commit id. Default: the branch of the remote's HEAD. */
  ref?: string;
}

const ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/|[\w.-]+@[\w.-]+:|\/)[^\n\r\0]+$/i;
const REF = /^[\w][\w./+@-]{0,249}$/;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Clones a repository into an empty folder, with the credentials of this machine. Submodules are not cloned.
 *
 * @throws KlausError `usage` for an address or a ref that is not allowed, `tool.failed` with the message of git.
 */
export async function cloneRepository(folder: string, { url, ref }: RepositorySource): Promise<void> {
  if (!ADDRESS.test(url) || url.includes('::')) {
    throw new KlausError('usage', `${url} is not the address of a repository.`, {
      hint: 'Use `https://…`, `ssh://…`, `git@host:path` or an absolute path.',
    });
  }
  if (ref !== undefined && !REF.test(ref)) throw new KlausError('usage', `${ref} is not a branch, a tag or a commit.`);
  const isCommit = ref !== undefined && COMMIT.test(ref);
  const words = ['clone', '-q', '--no-hardlinks', '--template=', ...(isCommit ? ['--no-checkout'] : [])];
  await git(folder, [...words, ...(ref === undefined || isCommit ? [] : ['--branch', ref]), '--', url, '.']);
  if (!isCommit) return;
  // A server need not send a commit that no branch contains.
  const { code } = await runGit(folder, ['cat-file', '-e', `${ref}^{commit}`]);
  if (code !== 0) await git(folder, ['fetch', '-q', 'origin', ref]);
  await git(folder, ['checkout', '-q', '--detach', ref]);
}
