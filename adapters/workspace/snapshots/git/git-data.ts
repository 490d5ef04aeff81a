import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { optional } from '@klaus/core/optional';
import type { ApplyGitOptions, ApplyResult } from '@klaus/core/agent';
import type { TreeChange } from '@klaus/core/protocol';
import type { Root } from '../../path-entry.ts';
import { applyChanges } from '../restore/apply.ts';
import { editTree, type TreeEdit } from '../restore/edit-tree.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { readPathState } from '../scan/path-state.ts';
import { toEdit } from '../path.ts';
import type { Scan } from '../scan/scan.ts';
import { scanAt } from '../scan/scan-paths.ts';
import { toStateWrite } from '../states.ts';
import { EMPTY } from '../tree.ts';
import { readGitStates, toGitPaths } from './git-state.ts';
import { listHolders, listStores, placeObjects } from './moved-objects.ts';
import { setAside } from './set-aside.ts';

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

const MODULE_OBJECTS = /\.git\/modules\/[^]*\/objects(?:\/(?:[0-9a-f]{2}|pack|info)(?:\/|$)|$)/;

/** See `Snapshots.applyGit`. The caller holds the exclusive lock. */
export async function applyGitChanges(
  store: SnapshotStore,
  changes: readonly TreeChange[],
  { overwrite, repositories = [] }: ApplyGitOptions,
): Promise<ApplyResult> {
  const { root, db } = store;
  const tops = [...new Set(changes.map(({ path }) => toTop(path)))].filter((path) => path !== undefined);
  const gone = toRemovedFolders(store, changes);
  const holders = listHolders(root.path, gone);
  // Other rows are parent folders. A removed folder itself still contains the objects.
  const rows = changes.filter(
    ({ path, after }) =>
      path.split('/').includes('.git') &&
      !gone.includes(path) &&
      !holders.has(path) &&
      // States of older versions contain the objects of a submodule without HEAD.
      (after !== null || !MODULE_OBJECTS.test(path)),
  );
  const before = await readGitStates(root, tops);
  const result = await applyChanges(store, rows, { ...optional({ overwrite }), isGit: true });
  if (!result.applied) return result;
  const restored = [
    ...repositories.map(({ path, store: id }) => ({ path: toGitPaths([{ path }])[0]!, store: id })),
    ...rows
      .filter((row) => !row.before && row.path.endsWith('/config'))
      .map(({ path }) => ({ path: path.slice(0, -'/config'.length) }))
      .filter(({ path }) => existsSync(join(root.path, path, 'HEAD'))),
  ];
  placeObjects(store, { restored, removed: gone.map((path) => join(root.path, path)) });
  for (const path of gone) setAside(store, path);
  // States without the metadata of their repositories: a redo needs it to find their objects.
  for (const [tree, git] of [
    [result.before, before],
    [result.after, await readGitStates(root, tops)],
  ] as const)
    toStateWrite(db, Buffer.from(tree, 'hex'), { metadata: { git, uncovered: [] }, isLast: false })?.();
  return result;
}

/** The `.git` entry that contains a path. */
function toTop(path: string): string | undefined {
  const names = path.split('/');
  const at = names.indexOf('.git');
  return at < 0 ? undefined : names.slice(0, at + 1).join('/');
}

/** Folders that the rows remove and that have objects, the outermost ones: git folders, and folders with submodules. */
function toRemovedFolders({ root }: SnapshotStore, rows: readonly TreeChange[]): string[] {
  const removed = rows.filter(({ before, after }) => before?.type === 'directory' && !after).map(({ path }) => path);
  const git = removed.filter(
    (path) => path.split('/').at(-1) === '.git' || listStores(join(root.path, path)).length > 0,
  );
  return git.filter((path) => !git.some((other) => path.startsWith(`${other}/`)));
}
