import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readForeignFileSync } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';
import { isSecretFile } from '@klaus/core/policy';
import { hasMarkers } from './conflicts.ts';
import { isMerging } from './copy-state.ts';
import type { CopyRecord } from './copy-record.ts';
import { git, tryGit } from './git.ts';
import { listChangedSubmodules } from './submodules.ts';

export interface CommitOptions {
  message: string;
  /** Author of commits in a repository without an identity. */
  author: { name: string; email: string };
  /** True: the commits are only saved on private refs. Default false. */
  isPrivate?: boolean;
  /** Further globs of secret files. */
  secrets: readonly string[];
}

/**
 * Commits the uncommitted changes of a copy. New secret files are never committed.
 *
 * @returns The commit of HEAD.
 * @throws KlausError `copy.blocked` if the changes cannot be one commit of the branch: unsolved conflicts, an unfinished
 *   rebase, another branch, new secret files, changes in a submodule, a new repository in the copy.
 */
export async function commitWork(record: CopyRecord, options: CommitOptions): Promise<string> {
  const { path } = record;
  if (!(await isOwnRepository(path))) {
    throw block(`The Git folder of the working copy is damaged.`, {
      hint: `\`klaus discard\` saves its files. The files are in ${path}.`,
    });
  }
  await checkBranch(record);
  const entries = await listStatus(path);
  const untracked = entries.filter(({ code }) => code === '??').map((entry) => entry.path);
  const secret = untracked.filter((name) => isSecretFile(name, options.secrets));
  if (secret.length > 0) {
    throw block(`New secret files are never committed: ${toNames(secret)}.`, {
      hint: `Delete them, move them out of ${path}, or list them in .gitignore there.`,
    });
  }
  const nested = untracked.filter((name) => name.endsWith('/'));
  if (nested.length > 0) {
    throw block(`The working copy contains new repositories, which a commit would not contain: ${toNames(nested)}.`, {
      hint: `Move them out of ${path}, or delete their .git folders.`,
    });
  }
  const modules = await listChangedSubmodules(path);
  if (modules.length > 0) {
    throw block(`Submodules have uncommitted changes: ${toNames(modules)}.`, {
      hint: `Commit them in ${join(path, modules[0]!)}.`,
    });
  }
  const merging = await isMerging(path);
  const unsolved = merging ? await listUnsolved(path) : [];
  if (unsolved.length > 0) {
    throw block(`Conflicts are not solved yet: ${toNames(unsolved)}.`, {
      hint: `Edit the files in ${path}, and repeat the command, or let an agent do it with \`klaus merge --agent\`.`,
    });
  }
  if (entries.length > 0 || merging) {
    await git(path, ['add', '-A']);
    await git(path, ['commit', '-q', '--no-verify', '--allow-empty', '-F', '-'], {
      input: options.message,
      env: await toIdentity(path, options),
    });
  }
  return git(path, ['rev-parse', 'HEAD']);
}

/** False for a copy without a Git folder that Git can read: Git would take one above it. */
export async function isOwnRepository(path: string): Promise<boolean> {
  return (await tryGit(path, ['rev-parse', '--show-toplevel'])) === path;
}

/** @throws KlausError `copy.blocked` if HEAD is on another branch and lacks commits of the branch of the copy. */
async function checkBranch({ path, branch }: CopyRecord): Promise<void> {
  const folder = await git(path, ['rev-parse', '--absolute-git-dir']);
  for (const [name, operation] of [
    ['rebase-merge', 'rebase'],
    ['rebase-apply', 'rebase'],
    ['CHERRY_PICK_HEAD', 'cherry-pick'],
    ['REVERT_HEAD', 'revert'],
  ] as const) {
    if (!existsSync(join(folder, name))) continue;
    throw block(`A ${operation} is not finished in the working copy.`, {
      hint: `Finish it in ${path} with \`git ${operation} --continue\`, or stop it with \`git ${operation} --abort\`.`,
    });
  }
  const lost = await tryGit(path, ['rev-list', '--count', `HEAD..refs/heads/${branch}`]);
  if (lost === undefined || lost === '0') return;
  throw block(`HEAD of the working copy does not contain ${lost} commits of ${branch}.`, {
    hint: `Check out the right branch in ${path}, such as with \`git checkout ${branch}\`.`,
  });
}

/** Files of a merge that still have conflict markers, or of which one side is deleted. */
async function listUnsolved(path: string): Promise<string[]> {
  const listed = (await git(path, ['diff', '--name-only', '--diff-filter=U', '-z'])).split('\0').filter(Boolean);
  return listed.filter((name) => hasMarkers(readText(join(path, name))));
}

/**
 * The variables of a commit's author and committer where no identity is configured.
 *
 * @throws KlausError `copy.blocked` if `user.useConfigOnly` forbids an invented one.
 */
export async function toIdentity(
  path: string,
  { author, isPrivate = false }: Pick<CommitOptions, 'author' | 'isPrivate'>,
): Promise<Record<string, string>> {
  const read = (name: string) => tryGit(path, ['config', name]);
  if ((await read('user.email')) !== undefined) return {};
  const { name, email } = author;
  const variables: Record<string, string> = {};
  for (const who of ['author', 'committer']) {
    if ((await read(`${who}.email`)) !== undefined) continue;
    Object.assign(variables, {
      [`GIT_${who.toUpperCase()}_NAME`]: name,
      [`GIT_${who.toUpperCase()}_EMAIL`]: email,
    });
  }
  const isRefused = !isPrivate && Object.keys(variables).length > 0;
  if (isRefused && (await tryGit(path, ['config', '--bool', 'user.useConfigOnly'])) === 'true') {
    throw block('user.useConfigOnly is set, and no identity is configured for this repository.', {
      hint: 'Set user.name and user.email in the repository or in your own Git configuration.',
    });
  }
  return variables;
}

/** The entries of `git status`, without the old names of renamed files. */
export async function listStatus(path: string): Promise<{ code: string; path: string }[]> {
  const listed = await git(path, ['status', '--porcelain', '-z', '-uall', '--no-renames']);
  return listed
    .split('\0')
    .flatMap((entry) => (entry === '' ? [] : [{ code: entry.slice(0, 2), path: entry.slice(3) }]));
}

export function block(message: string, options: { hint: string; cause?: unknown }): KlausError {
  return new KlausError('copy.blocked', message, options);
}

/** At most five names. */
export function toNames(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return names.slice(0, 5).join(', ') + more;
}

function readText(file: string): string {
  try {
    return readForeignFileSync(file).text;
  } catch {
    return '';
  }
}
