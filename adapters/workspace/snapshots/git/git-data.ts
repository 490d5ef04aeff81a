import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, cpSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ApplyResult } from '@klaus/core/agent';
import type { TreeChange } from '@klaus/core/protocol';
import { codeOf } from '../../race-error.ts';
import type { Root } from '../../path-entry.ts';
import { LARGE } from './git-names.ts';
import { applyChanges } from '../restore/apply.ts';
import { editTree, type TreeEdit } from '../restore/edit-tree.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { readPathState } from '../scan/path-state.ts';
import { toEdit } from '../path.ts';
import type { Scan } from '../scan/scan.ts';
import { scanAt } from '../scan/scan-paths.ts';
import { EMPTY } from '../tree.ts';

/**
 * The state of git's own data in the repositories: the content of each `.git` except objects.
 *
 * @param repositories Relative paths of the `.git` entries.
 */
export async function scanGitData(scan: Scan, from: { root: Root; repositories: readonly string[] }): Promise<Buffer> {
  // Unreadable files in `.git` are not reported for the workspace.
  const gitScan: Scan = { ...scan, uncovered: [], repositories: [], isGit: true };
  const edits = new Map<string, TreeEdit>();
  for (const path of from.repositories) {
    const { entry, unsupported } = await readPathState(from.root, path, gitScan);
    if (!entry || unsupported) continue;
    const edit = toEdit(entry);
    if (edit?.type === 'directory') edit.hash = (await scanAt(from.root, gitScan, path)) ?? EMPTY;
    edits.set(path, edit);
  }
  await scan.batch.flush();
  return editTree(scan, EMPTY, edits);
}

/** See `Snapshots.applyGit`. The caller holds the exclusive lock. */
export async function applyGitChanges(
  store: SnapshotStore,
  changes: readonly TreeChange[],
  options: { overwrite?: ReadonlySet<string> },
): Promise<ApplyResult> {
  const gone = toRemovedFolders(changes);
  // Other rows are parent folders. A removed folder itself still contains the objects.
  const rows = changes.filter(({ path }) => path.split('/').includes('.git') && !gone.includes(path));
  const result = await applyChanges(store, rows, { ...options, isGit: true });
  if (!result.applied) return result;
  for (const path of gone) setAside(store, path);
  for (const { path, before } of rows)
    if (!before && path.endsWith('.git/HEAD')) bringBack(store, path.slice(0, -'/HEAD'.length));
  return result;
}

/** Git folders that the rows remove completely. */
function toRemovedFolders(rows: readonly TreeChange[]): string[] {
  return rows
    .filter(({ path, before, after }) => path.split('/').at(-1) === '.git' && before?.type === 'directory' && !after)
    .map(({ path }) => path);
}

/** The folder for the objects of a git folder that an undo removed; one for each path. */
function toAside(store: SnapshotStore, path: string): string {
  return join(store.db.folder, 'aside', createHash('sha256').update(path).digest('hex').slice(0, 32));
}

/** Moves the rest of a git folder out of the workspace, so that a redo can restore it. */
function setAside(store: SnapshotStore, path: string): void {
  const folder = join(store.root.path, path);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const aside = toAside(store, path);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (LARGE.has(name)) move(join(folder, name), join(aside, name));
  try {
    rmdirSync(folder);
  } catch (error) {
    // The folder has other content; git does not treat it as a repository any more.
    if (codeOf(error) !== 'ENOTEMPTY') throw error;
  }
}

/** Restores a git folder that {@link setAside} moved. */
function bringBack(store: SnapshotStore, path: string): void {
  const aside = toAside(store, path);
  const folder = join(store.root.path, path);
  if (lstatSync(aside, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of readdirSync(aside)) {
    if (!lstatSync(join(folder, name), { throwIfNoEntry: false })) move(join(aside, name), join(folder, name));
  }
  rmSync(aside, { recursive: true, force: true });
}

/** Renames or, to another filesystem, copies and removes. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    rmSync(from, { recursive: true, force: true });
  }
}
