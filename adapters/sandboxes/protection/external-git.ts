import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { contains } from '../paths.ts';
import type { WorkspaceView } from '../view.ts';
import { addGitFolder } from './git-paths.ts';
import type { Places } from './git-paths.ts';
import { readGitFile } from './repositories.ts';
import type { Repository } from './repositories.ts';

/**
 * The git folders of a workspace that is a linked worktree or a submodule: they lie outside of it, and without
 * them no git command works inside. Only those that name this very workspace themselves, which no command in the
 * sandbox can have written. Their configuration and hooks are added to `places`.
 *
 * @returns Folders to bind writable.
 */
export function toExternalGit(view: WorkspaceView, repositories: readonly Repository[], places: Places): string[] {
  const own = join(view.source, '.git');
  if (!repositories.some(({ path, kind }) => path === own && kind === 'file')) return [];
  const folder = readGitFile(own);
  if (folder === undefined || contains(view.source, folder)) return [];
  const isOurs = readGitdir(folder) === join(view.target, '.git') || readWorktree(folder) === view.target;
  if (!isOurs) return [];
  const common = readCommon(folder);
  // The whole of it: a worktree's objects, references and lock files all lie in the common folder.
  addGitFolder(places, common, { root: view.source, nesting: 0 });
  if (!contains(common, folder)) return [];
  return [common];
}

/** Of a linked worktree: the `.git` file that leads here. */
function readGitdir(folder: string): string | undefined {
  const text = read(join(folder, 'gitdir'));
  return text === undefined ? undefined : toReal(text.trim());
}

/** Of a submodule. */
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
