import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { contains } from '../paths.ts';
import type { WorkspaceView } from '../view.ts';
import { addGitFolder } from './git-paths.ts';
import type { GitPaths } from './git-paths.ts';
import { readGitFile } from './repositories.ts';
import type { Repository } from './repositories.ts';

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
  const text = read(join(folder, 'gitdir'));
  return text === undefined ? undefined : toReal(text.trim());
}

/** The working tree of the submodule that a git folder belongs to. */
function readWorktree(folder: string): string | undefined {
  const [, value] = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(read(join(folder, 'config')) ?? '') ?? [];
  return value === undefined ? undefined : toReal(resolve(folder, value));
}

function readCommon(folder: string): string {
  const text = read(join(folder, 'commondir'))?.trim();
  return text === undefined ? folder : (toReal(resolve(folder, text)) ?? folder);
}

function toReal(path: string): string | undefined {
  return existsSync(path) ? realpathSync.native(path) : undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
