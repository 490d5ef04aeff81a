import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { contains } from '../paths.ts';
import { isEmptyFile, isPlaceholder, type Placeholder } from './placeholders.ts';
import type { Repository } from './repositories.ts';
import { listEntries } from '@klaus/adapters/system';
import { readText } from '../read-text.ts';

/** Paths on this machine. */
export interface GitPaths {
  /** Writable mount points, which can be neither moved nor replaced. Parents before children. */
  pinned: string[];
  readOnly: string[];
  /** Paths that do not exist and must not be created. */
  missing: Placeholder[];
  /** Git folders whose object stores are protected. */
  gitFolders: string[];
}

/** A `commondir` with which git uses the folder itself. */
export const OWN_FOLDER = '.\n';

/** Levels of submodules inside submodules. */
const MAX_NESTING = 4;

/**
 * The parts of repositories that decide what the user's next `git status` runs: configuration, hooks, and files that
 * point git to other folders. The rest of a git folder stays writable, so that commits, branches, merges and stashes work.
 */
export function findGitPaths(repositories: readonly Repository[], root: string): GitPaths {
  const paths: GitPaths = { pinned: [], readOnly: [], missing: [], gitFolders: [] };
  for (const { path, kind, folder } of repositories) {
    if (kind === 'folder') paths.pinned.push(path);
    else if (kind === 'file') paths.readOnly.push(path);
    if (folder) addGitFolder(paths, folder, { root, nesting: 0 });
  }
  return paths;
}

/** Adds the paths of one git folder, which may lie outside the workspace. */
export function addGitFolder(paths: GitPaths, folder: string, at: { root: string; nesting: number }): void {
  paths.gitFolders.push(folder);
  const config = join(folder, 'config');
  const isLinked = existsSync(join(folder, 'gitdir'));
  const commondir = join(folder, 'commondir');
  // Git fails if the file is empty.
  if (isPresent(commondir) && !isEmptyFile(commondir)) paths.readOnly.push(commondir);
  // Git reads configuration and hooks from the folder that it names. The placeholder names its own folder.
  else paths.missing.push({ path: commondir, content: OWN_FOLDER });
  if (isLinked) paths.readOnly.push(join(folder, 'gitdir'));
  if (!isLinked) {
    protectPath(paths, { path: config, content: '' });
    protectPath(paths, { path: join(folder, 'hooks') });
  }
  const text = readText(config) ?? '';
  if (isPresent(join(folder, 'config.worktree'))) paths.readOnly.push(join(folder, 'config.worktree'));
  else if (/worktreeconfig/i.test(text)) paths.missing.push({ path: join(folder, 'config.worktree'), content: '' });
  for (const place of readConfiguredPaths(text, folder)) if (contains(at.root, place.path)) protectPath(paths, place);
  if (at.nesting >= MAX_NESTING) return;
  for (const [name, isGitFolder] of [
    ['modules', (path: string) => existsSync(join(path, 'HEAD'))],
    ['worktrees', () => true],
  ] as const) {
    const parent = join(folder, name);
    if (existsSync(parent)) addBelow(paths, parent, { ...at, isGitFolder });
  }
}

/** Adds nested git folders. Names of submodules may contain slashes. */
function addBelow(
  paths: GitPaths,
  parent: string,
  at: { root: string; nesting: number; isGitFolder: (path: string) => boolean },
): void {
  paths.pinned.push(parent);
  for (const entry of listEntries(parent)) {
    const path = join(parent, entry.name);
    if (!entry.isDirectory()) continue;
    if (at.isGitFolder(path)) {
      paths.pinned.push(path);
      addGitFolder(paths, path, { root: at.root, nesting: at.nesting + 1 });
    } else if (at.nesting < MAX_NESTING) addBelow(paths, path, { ...at, nesting: at.nesting + 1 });
  }
}

/** Adds a path as read-only or as missing. For a symlink its target is added too. */
export function protectPath(paths: GitPaths, place: Placeholder): void {
  if (isPresent(place.path)) paths.readOnly.push(place.path, realpathSync.native(place.path));
  else if (isPlaceholder(place.path) || !isDangling(place.path)) paths.missing.push(place);
}

/** False for a placeholder: it is removed when the command that created it ends, so that each command needs its own. */
function isPresent(path: string): boolean {
  return existsSync(path) && !isPlaceholder(path);
}

function isDangling(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Files and folders that the configuration names: `include.path` and `core.hooksPath`. */
function readConfiguredPaths(config: string, folder: string): Placeholder[] {
  const found: Placeholder[] = [];
  for (const [, key, value] of config.matchAll(/^\s*(path|hookspath)\s*=\s*"?([^"\n#;]+?)"?\s*$/gim)) {
    if (/^[~%]/.test(value!)) continue;
    // Includes are relative to the file that names them, hooks to the top of the working tree.
    if (key!.toLowerCase() === 'path') found.push({ path: resolve(folder, value!), content: '' });
    else found.push({ path: resolve(dirname(folder), value!) });
  }
  return found;
}
