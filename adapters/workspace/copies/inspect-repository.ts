import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { runGit, tryGit } from './git.ts';

/** A repository from which a working copy can start. All paths are absolute real paths. */
export interface RepositoryFacts {
  /** Top of the working tree. */
  top: string;
  /** The Git folder of this working tree. */
  gitDir: string;
  /** The Git folder with refs and objects; of a linked worktree that of its repository. */
  common: string;
  /** The commit of HEAD. */
  head: string;
  /** The current branch; undefined for a detached HEAD. */
  branch: string | undefined;
  /** The folder below the top, or nothing. */
  below: string;
}

/** @throws KlausError `copy.refused` for a folder without a repository, a bare one, and one without a commit. */
export async function inspectRepository(folder: string): Promise<RepositoryFacts> {
  const found = await runGit(folder, ['rev-parse', '--is-bare-repository', '--is-inside-work-tree']);
  if (found.code !== 0) {
    const isOther = /dubious ownership/.test(found.stderr);
    throw refuse(isOther ? `Git refuses ${folder}, which belongs to another user.` : `${folder} is in no repository.`, {
      hint: isOther
        ? `Trust it with \`git config --global --add safe.directory ${folder}\`.`
        : 'Create one with `git init` and a first commit, or run without `--worktree`.',
    });
  }
  const [isBare, isInside] = found.stdout.trim().split('\n');
  if (isBare === 'true') {
    throw refuse(`${folder} is a bare repository, which has no files to work on.`, {
      hint: 'Clone it, and run Klaus in the clone.',
    });
  }
  if (isInside !== 'true') {
    throw refuse(`${folder} is in the Git folder of a repository.`, { hint: 'Run Klaus in its working tree.' });
  }
  const paths = await tryGit(folder, [
    ...['rev-parse', '--path-format=absolute', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'],
  ]);
  const [top = folder, gitDir = folder, common = folder] = (paths ?? '').split('\n').map(toReal);
  const head = await tryGit(folder, ['rev-parse', '--verify', '-q', 'HEAD^{commit}']);
  if (head === undefined) {
    throw refuse(`${top} has no commit yet, so a working copy has nothing to start from.`, {
      hint: 'Commit something first, such as with `git commit --allow-empty -m "Start"`.',
    });
  }
  const branch = await tryGit(folder, ['symbolic-ref', '-q', '--short', 'HEAD']);
  return { top, gitDir, common, head, branch, below: relative(top, toReal(folder)) };
}

export function refuse(message: string, options: { hint: string }): KlausError {
  return new KlausError('copy.refused', message, options);
}

function toReal(path: string): string {
  return realpathSync.native(path);
}
