import { existsSync, linkSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { copyForeignFileSync, isRegularFile, readForeignFileSync } from '@klaus/adapters/system';
import { codeOf } from '../../race-error.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { lastState, readMetadata } from '../states.ts';
import { LARGE } from './git-names.ts';
import { hasGitObject } from './git-objects.ts';
import { toGitPaths, toStoreId } from './git-state.ts';
import { moveTree } from './move-tree.ts';
import { listNamedIds } from './named-ids.ts';
import { listAside, toAside } from './set-aside.ts';

/** A git folder that a step restores. */
export interface RestoredFolder {
  /** Relative path, such as `lib/.git`. */
  path: string;
  /** See `GitPosition.store`. */
  store?: string;
}

/** Levels of submodules inside submodules. */
const MAX_DEPTH = 8;
const INTAKE = /^klaus-/;

/**
 * Gives each restored git folder its objects. They can be in a folder that the step removes, because a command renamed
 * the repository; in what an earlier step removed; or in another repository, because the repository was copied. The
 * folder of objects is known by its inode, otherwise by the ids that refs, reflogs and index name. It is moved only from
 * folders that the step removes; from others it is linked, file by file.
 *
 * @param removed Absolute paths of the git folders that the step removes.
 */
export function placeObjects(
  store: SnapshotStore,
  { restored, removed }: { restored: readonly RestoredFolder[]; removed: readonly string[] },
): void {
  const root = store.root.path;
  for (const { path, store: wanted } of restored) {
    const folder = join(root, path);
    if (!isPlainFolder(folder) || isPlaced(folder, wanted)) continue;
    const aside = toAside(store.db, path);
    const sources = [...removed, aside, ...listAside(store.db), ...listPresent(store)].filter((at) => at !== folder);
    const isMovable = (source: string): boolean => source === aside || removed.includes(source);
    const take = (source: string): void => {
      if (isMovable(source) && !hasObjects(folder)) moveObjects(source, folder);
      else linkObjects(source, folder);
    };
    const same = wanted === undefined ? undefined : sources.find((at) => toStoreId(join(at, 'objects')) === wanted);
    if (same !== undefined) {
      take(same);
      continue;
    }
    if (!hasObjects(folder) && hasObjects(aside)) take(aside);
    const isFound = findMissing(folder, sources, take);
    // Nothing names its objects.
    if (!isFound && !hasObjects(folder)) for (const source of removed) linkObjects(source, folder);
    // Git recognizes no repository without the folder.
    mkdirSync(join(folder, 'objects'), { recursive: true });
  }
}

function isPlaced(folder: string, wanted: string | undefined): boolean {
  return wanted !== undefined && toStoreId(join(folder, 'objects')) === wanted;
}

function hasObjects(folder: string): boolean {
  return isFolder(join(folder, 'objects'));
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** True for a folder without a symlink in its path. */
function isPlainFolder(path: string): boolean {
  return isFolder(path) && realpathSync.native(path) === path;
}

/** Takes the objects of sources that have what the folder names and lacks. @returns True if a source had some. */
function findMissing(folder: string, sources: readonly string[], take: (source: string) => void): boolean {
  const lacks = (at: string, id: string): boolean => !hasGitObject(join(at, 'objects'), id);
  let missing = listNamedIds(folder).filter((id) => lacks(folder, id));
  let isFound = false;
  for (const source of sources) {
    if (missing.length === 0) break;
    if (!hasObjects(source) || missing.every((id) => lacks(source, id))) continue;
    take(source);
    isFound = true;
    missing = missing.filter((id) => lacks(folder, id));
  }
  return isFound;
}

/** Absolute paths of the git folders of the workspace. */
function listPresent(store: SnapshotStore): string[] {
  const last = lastState(store.db);
  if (!last) return [];
  const paths = toGitPaths(readMetadata(store.db, last).git).map((path) => join(store.root.path, path));
  return paths.filter(isPlainFolder);
}

/** Paths of the git folders in a git folder that have objects: itself, as '', and its submodules. */
export function listStores(folder: string, at = '', depth = 0): string[] {
  const own = [...LARGE].some((name) => isFolder(join(folder, at, name))) ? [at] : [];
  // A folder in `modules` without objects is a part of the name of a submodule.
  const next = own.length > 0 ? join(at, 'modules') : at;
  if (depth >= MAX_DEPTH || !isFolder(join(folder, next))) return own;
  const names = readdirSync(join(folder, next)).filter((name) => isFolder(join(folder, next, name)));
  return [...own, ...names.flatMap((name) => listStores(folder, join(next, name), depth + 1))];
}

function listLarge(folder: string): string[] {
  return listStores(folder).flatMap((at) =>
    [...LARGE].map((name) => join(at, name)).filter((path) => isFolder(join(folder, path))),
  );
}

/** Moves the objects of a git folder and of its submodules into another one. */
function moveObjects(from: string, to: string): void {
  for (const path of listLarge(from)) moveTree(join(from, path), join(to, path));
}

/** Adds the objects of a git folder and of its submodules to another one, as hard links where possible. */
function linkObjects(from: string, to: string): void {
  for (const path of listLarge(from)) linkTree(join(from, path), join(to, path));
  addAlternates(join(from, 'objects'), join(to, 'objects'));
}

function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (INTAKE.test(entry.name) || entry.name === 'alternates') continue;
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile() && !existsSync(target)) linkFile(source, target);
  }
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(codeOf(error))) throw error;
    copyForeignFileSync(from, to);
  }
}

/** The folders of which the linked objects borrow others. */
function addAlternates(from: string, to: string): void {
  const read = (store: string): string[] => {
    const file = join(store, 'info', 'alternates');
    return isRegularFile(file) ? readForeignFileSync(file).text.split('\n').filter(Boolean) : [];
  };
  const known = read(to);
  const added = read(from)
    .filter((line) => !INTAKE.test(line) && !line.startsWith('#'))
    .map((line) => (isAbsolute(line) ? line : resolve(from, line)))
    .filter((line) => line !== to && !known.includes(line));
  if (added.length === 0) return;
  mkdirSync(join(to, 'info'), { recursive: true });
  const file = join(to, 'info', 'alternates');
  rmSync(file, { force: true });
  writeFileSync(file, [...known, ...added, ''].join('\n'));
}

/** Paths of folders that a step cannot remove, because they hold objects: git folders, and the folders between them. */
export function listHolders(root: string, gitFolders: readonly string[]): Set<string> {
  const holders = new Set<string>();
  for (const folder of gitFolders)
    for (const at of listStores(join(root, folder)))
      for (let path = join(folder, at); path.length >= folder.length; path = dirname(path)) holders.add(path);
  return holders;
}
