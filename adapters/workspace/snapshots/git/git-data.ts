import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, cpSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TreeChange } from '@klaus/core/protocol';
import { codeOf } from '../../race-error.ts';
import type { Root } from '../../path-entry.ts';
import { LARGE } from './git-names.ts';
import { editTree, type TreeEdit } from '../restore/edit-tree.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { readPathState } from '../scan/path-state.ts';
import { toEdit } from '../path.ts';
import type { Scan } from '../scan/scan.ts';
import { scanAt } from '../scan/scan-paths.ts';
import { EMPTY } from '../tree.ts';

/**
 * The state of git's own data in these repositories: everything below each `.git` but objects, at its own path.
 *
 * @param repositories Relative paths of what is named `.git`.
 */
export async function scanGitData(
  store: SnapshotStore,
  scan: Scan,
  from: { root: Root; repositories: readonly string[] },
): Promise<Buffer> {
  // What cannot be read here is no news about the workspace.
  const gitScan: Scan = { ...scan, uncovered: [], repositories: [], isGit: true };
  const edits = new Map<string, TreeEdit>();
  for (const path of from.repositories) {
    const { entry, unsupported } = await readPathState(from.root, path, gitScan);
    if (!entry || unsupported) continue;
    const isFolder = entry.type === 'directory';
    const hash = isFolder ? await scanAt(from.root, gitScan, path) : undefined;
    if (isFolder) edits.set(path, { type: 'directory', mode: entry.mode, size: 0, hash: hash ?? EMPTY });
    else edits.set(path, toEdit(entry));
  }
  await scan.batch.flush();
  return editTree({ trees: store.trees, batch: scan.batch, yielder: scan.yielder }, EMPTY, edits);
}

/** True for a path inside `.git`, and for `.git` itself. Other rows of such states are folders on the way. */
export function isGitPath(path: string): boolean {
  return path.split('/').includes('.git');
}

/** Git folders that these rows remove as a whole. */
export function toRemovedFolders(rows: readonly TreeChange[]): string[] {
  return rows
    .filter(({ path, before, after }) => path.split('/').at(-1) === '.git' && before?.type === 'directory' && !after)
    .map(({ path }) => path);
}

/** Where the objects of a git folder wait that an undo took away. One for each path. */
function toAside(store: SnapshotStore, path: string): string {
  return join(store.db.folder, 'aside', createHash('sha256').update(path).digest('hex').slice(0, 32));
}

/** Takes what is left of a git folder out of the workspace, so that a redo can bring it back. */
export function setAside(store: SnapshotStore, path: string): void {
  const folder = join(store.root.path, path);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const aside = toAside(store, path);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (LARGE.has(name)) move(join(folder, name), join(aside, name));
  try {
    rmdirSync(folder);
  } catch (error) {
    // Something else is in there: git does not take it for a repository any more.
    if (codeOf(error) !== 'ENOTEMPTY') throw error;
  }
}

/** Brings back what {@link setAside} took. */
export function bringBack(store: SnapshotStore, path: string): void {
  const aside = toAside(store, path);
  const folder = join(store.root.path, path);
  if (lstatSync(aside, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of readdirSync(aside)) {
    if (!lstatSync(join(folder, name), { throwIfNoEntry: false })) move(join(aside, name), join(folder, name));
  }
  rmSync(aside, { recursive: true, force: true });
}

/** Also to another filesystem. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    rmSync(from, { recursive: true, force: true });
  }
}
