import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { contains } from '../paths.ts';
import { isEmptyFile, isPlaceholder, type Placeholder } from './placeholders.ts';
import { list } from './repositories.ts';
import type { Repository } from './repositories.ts';

/** Paths on this machine. */
export interface Places {
  /** Mount points that stay writable: what is one can be neither moved nor replaced. Parents before children. */
  pinned: string[];
  readOnly: string[];
  /** Not there, and must not come. */
  missing: Placeholder[];
  /** Git folders whose objects are kept. */
  gitFolders: string[];
}

/** Levels of submodules inside submodules. */
const MAX_NESTING = 4;

/**
 * What a user's next `git status` would run or obey: configuration, hooks, and the files that lead git elsewhere.
 * Everything else of a git folder stays writable, so that commits, branches, merges and stashes work.
 */
export function findGitPlaces(repositories: readonly Repository[], root: string): Places {
  const places: Places = { pinned: [], readOnly: [], missing: [], gitFolders: [] };
  for (const { path, kind, folder } of repositories) {
    if (kind === 'folder') places.pinned.push(path);
    else if (kind === 'file') places.readOnly.push(path);
    if (folder) addGitFolder(places, folder, { root, nesting: 0 });
  }
  return places;
}

/** Also for a git folder outside of the workspace. */
export function addGitFolder(places: Places, folder: string, at: { root: string; nesting: number }): void {
  places.gitFolders.push(folder);
  const config = join(folder, 'config');
  const isLinked = existsSync(join(folder, 'gitdir'));
  const commondir = join(folder, 'commondir');
  // Git reads nothing at all beside an empty one.
  if (isThere(commondir) && !isEmptyFile(commondir)) places.readOnly.push(commondir);
  // With it git reads configuration and hooks from the folder that it names. This one names its own.
  else places.missing.push({ path: commondir, content: '.\n' });
  if (isLinked) places.readOnly.push(join(folder, 'gitdir'));
  if (!isLinked) {
    hold(places, { path: config, content: '' });
    hold(places, { path: join(folder, 'hooks') });
  }
  const text = read(config);
  if (isThere(join(folder, 'config.worktree'))) places.readOnly.push(join(folder, 'config.worktree'));
  else if (/worktreeconfig/i.test(text)) places.missing.push({ path: join(folder, 'config.worktree'), content: '' });
  for (const place of readConfiguredPaths(text, folder)) if (contains(at.root, place.path)) hold(places, place);
  if (at.nesting >= MAX_NESTING) return;
  for (const [name, isGitFolder] of [
    ['modules', (path: string) => existsSync(join(path, 'HEAD'))],
    ['worktrees', () => true],
  ] as const) {
    const parent = join(folder, name);
    if (existsSync(parent)) addBelow(places, parent, { ...at, isGitFolder });
  }
}

/** Submodules may have names with slashes. */
function addBelow(
  places: Places,
  parent: string,
  at: { root: string; nesting: number; isGitFolder: (path: string) => boolean },
): void {
  places.pinned.push(parent);
  for (const entry of list(parent)) {
    const path = join(parent, entry.name);
    if (!entry.isDirectory()) continue;
    if (at.isGitFolder(path)) {
      places.pinned.push(path);
      addGitFolder(places, path, { root: at.root, nesting: at.nesting + 1 });
    } else if (at.nesting < MAX_NESTING) addBelow(places, path, { ...at, nesting: at.nesting + 1 });
  }
}

/** Adds a path as what it is, there or not there; of a symlink also what it leads to. */
export function hold(places: Places, place: Placeholder): void {
  if (isThere(place.path)) places.readOnly.push(place.path, realpathSync.native(place.path));
  else if (isPlaceholder(place.path) || !isDangling(place.path)) places.missing.push(place);
}

/** What another command holds goes when that one ends: this one has to hold it too. */
function isThere(path: string): boolean {
  return existsSync(path) && !isPlaceholder(path);
}

function isDangling(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Files and folders of the project that the configuration itself names: `include.path` and `core.hooksPath`. */
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

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
