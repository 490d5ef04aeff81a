import { spawnSync } from 'node:child_process';

function runGit(root: string, words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', root, ...words], { encoding: 'utf8', maxBuffer: 64 << 20 });
  return status === 0 ? stdout.trim() : undefined;
}

/** The hash of the commit; undefined outside of a Git repository. */
export function readCommit(root: string): string | undefined {
  return runGit(root, ['rev-parse', 'HEAD']);
}

export interface Changes {
  /** The commit with which the files were compared. */
  base: string;
  /** Relative to the root, also deleted and untracked files. */
  paths: readonly string[];
}

/**
 * What changed since the base: the commit that `CI_BASE` names, else the last tag, else the parent of the commit.
 *
 * @returns Undefined outside of a Git repository, and without a base, as in a clone of depth 1.
 * @throws Error if `CI_BASE` names no commit of this repository.
 */
export function findChanges(root: string, env: NodeJS.ProcessEnv = process.env): Changes | undefined {
  const named = env['CI_BASE'];
  const base = named || runGit(root, ['describe', '--tags', '--abbrev=0']) || 'HEAD^';
  const commit = runGit(root, ['rev-parse', '--verify', '--quiet', `${base}^{commit}`]);
  if (commit === undefined) {
    if (named) throw new Error(`CI_BASE names ${named}, which is no commit of this repository.`);
    return undefined;
  }
  const changed = runGit(root, ['diff', '--name-only', '--no-renames', '-z', commit]) ?? '';
  const added = runGit(root, ['ls-files', '--others', '--exclude-standard', '-z']) ?? '';
  return { base, paths: [...new Set([...changed.split('\0'), ...added.split('\0')])].filter((path) => path !== '') };
}
