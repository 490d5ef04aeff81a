import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from '../database.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { LARGE } from './git-names.ts';
import { moveTree } from './move-tree.ts';

const FOLDER = 'aside';

/** The place of what an undo removed with a git folder and states do not contain, such as its objects. */
export function toAside({ folder }: Database, path: string): string {
  return join(folder, FOLDER, path);
}

/** Moves the rest of a git folder out of the workspace, so that a redo can restore it. @param path Relative. */
export function setAside(store: SnapshotStore, path: string): void {
  const folder = join(store.root.path, path);
  if (!isFolder(folder)) return;
  if (isEmptyTree(folder)) rmSync(folder, { recursive: true });
  else moveTree(folder, toAside(store.db, path));
}

/** Absolute paths of the git folders that were set aside, for all workspaces, those of this one first. */
export function listAside(db: Database): string[] {
  const all = dirname(db.folder);
  const others = readdirSync(all).map((name) => join(all, name));
  return [db.folder, ...others.filter((folder) => folder !== db.folder)].flatMap((folder) =>
    findStores(join(folder, FOLDER)),
  );
}

/** Paths of the git folders of this workspace that were set aside, such as `lib/.git`. */
export function listOwnAside(db: Database): string[] {
  const top = join(db.folder, FOLDER);
  return findStores(top).map((path) => path.slice(top.length + 1));
}

function findStores(folder: string): string[] {
  if (!isFolder(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const isStore = entries.some(({ name }) => LARGE.has(name));
  const below = entries.filter(({ name }) => !isStore || !LARGE.has(name));
  return [...(isStore ? [folder] : []), ...below.flatMap(({ name }) => findStores(join(folder, name)))];
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isEmptyTree(folder: string): boolean {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.every((entry) => entry.isDirectory() && isEmptyTree(join(folder, entry.name)));
}
