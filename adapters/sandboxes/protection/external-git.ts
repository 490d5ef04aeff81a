import { join, resolve } from 'node:path';
import { contains, toRealPath } from '../paths.ts';
import { readText } from '../read-text.ts';
import type { WorkspaceView } from '../view.ts';
import { addGitFolder, type GitPaths } from './git-paths.ts';
import { readGitFile, type Repository } from './repositories.ts';

/**
 * The git folders of a workspace that is a linked worktree or a submodule. They lie outside the workspace, and git needs
 * them. Only folders that point back to this workspace are accepted, because commands cannot write there. Their
 * configuration and hooks are added to `paths`.
 *
 * @returns Folders to mount writable.
 */
export function toExternalGit(view: WorkspaceView, repositories: readonly Repository[], paths: GitPaths): string[] {
  const own = join(view.source, '.git');
  if (!repositories.some(({ path, kind }) => path === own && kind === 'file')) return [];
  const folder = readGitFile(own);
  if (folder === undefined || contains(view.source, folder)) return [];
  const isOurs = readGitdir(folder) === join(view.target, '.git') || readWorktree(folder) === view.target;
  if (!isOurs) return [];
  const common = readCommon(folder);
  // All of it: a worktree's objects, references and lock files are in the common folder.
  addGitFolder(paths, common, { root: view.source, nesting: 0 });
  if (!contains(common, folder)) return [];
  return [common];
}

/** The `.git` file of the linked worktree that a git folder belongs to. */
function readGitdir(folder: string): string | undefined {
  const text = readText(join(folder, 'gitdir'));
  return text === undefined ? undefined : toRealPath(text.trim());
}

/** The working tree of the submodule that a git folder belongs to. */
function readWorktree(folder: string): string | undefined {
  const [, value] = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(readText(join(folder, 'config')) ?? '') ?? [];
  return value === undefined ? undefined : toRealPath(resolve(folder, value));
}

function readCommon(folder: string): string {
  const text = readText(join(folder, 'commondir'))?.trim();
  return text === undefined ? folder : (toRealPath(resolve(folder, text)) ?? folder);
}
