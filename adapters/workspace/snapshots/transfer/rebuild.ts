import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { KlausError, type TreeChange, type TreeId } from '@klaus/core/protocol';
import { listNames, openDirectory } from '../../layer/names.ts';
import { removeEntry, removeTree } from '../../layer/remove-tree.ts';
import { Yielder } from '../../yielder.ts';
import { toGitPaths } from '../git/git-state.ts';
import type { LocalSnapshots } from '../local-snapshots.ts';
import { EMPTY } from '../tree.ts';

/** A state of a workspace with its repositories. */
export interface WorkspaceState {
  tree: TreeId;
  /** The state of git's own data. Absent: there is no repository. */
  git?: TreeId;
  /** The objects of the repositories, see `snapshotGitContents`. Absent: those that are there. */
  contents?: TreeId;
}

const NOTHING = EMPTY.toString('hex');
const OWNER_ALL = 0o700;

/**
 * Makes a workspace equal to a state: everything that the state does not contain is removed, and only what differs is
 * written. Folders of tools whose content is not stored are left out. Nothing else may use the workspace. After a kill or an error, call it again.
 *
 * @param root Absolute path of the workspace.
 * @throws KlausError `usage` for a state that is not stored, `store.full`, `store.corrupt`, `workspace.conflict`.
 */
export async function rebuildWorkspace(snapshots: LocalSnapshots, root: string, given: WorkspaceState): Promise<void> {
  const state = { ...given, tree: await snapshots.withoutUnstored(given.tree) };
  // A scan that finds the same files replaces what is stored beside the state.
  const wanted = { ...state, repositories: toGitPaths(snapshots.git(state.tree)) };
  const uncovered = new Set(snapshots.uncovered(state.tree).map(({ path }) => path));
  if (readdirSync(root).length > 0 && !(await update(snapshots, { ...wanted, root, uncovered }))) await clear(root);
  if (readdirSync(root).length === 0) {
    await snapshots.checkOut(state.tree);
    await updateGit(snapshots, state);
  }
  const isKnown = toGitPaths(snapshots.git(state.tree)).join('\0') === wanted.repositories.join('\0');
  const now = await snapshots.snapshot(isKnown ? { only: { base: state.tree, paths: [] } } : {});
  if (now === state.tree) return;
  throw new KlausError('workspace.conflict', `The folder ${root} changed while a worker rebuilt it.`, {
    hint: 'Stop the program that writes to it: a managed folder is for sessions only.',
  });
}

interface Wanted extends WorkspaceState {
  root: string;
  repositories: readonly string[];
  uncovered: ReadonlySet<string>;
}

/** Changes what differs. False if the workspace has content that cannot be compared: it must be rebuilt completely. */
async function update(snapshots: LocalSnapshots, wanted: Wanted): Promise<boolean> {
  const { tree, root, repositories, uncovered } = wanted;
  const now = await snapshots.snapshot();
  if (snapshots.uncovered(now).some(({ path }) => !uncovered.has(path))) return false;
  for (const path of snapshots.repositories) {
    if (!repositories.includes(path)) await removeTree(join(root, path));
  }
  if (now !== tree) {
    const result = await snapshots.apply(...overwriting(await snapshots.changes(now, tree)));
    if (!result.applied || result.after !== tree) return false;
  }
  return await updateGit(snapshots, wanted);
}

async function updateGit(snapshots: LocalSnapshots, { tree, git, contents }: WorkspaceState): Promise<boolean> {
  if (git === undefined) return true;
  // Objects come first, so that no ref names one that is missing.
  if (contents !== undefined) {
    const present = (await snapshots.snapshotGitContents(git)) ?? NOTHING;
    // Further objects do no harm: git removes them.
    const missing = (await snapshots.changes(present, contents)).filter(({ after }) => after !== null);
    const result = await snapshots.applyGit(...overwriting(missing));
    if (!result.applied) return false;
  }
  const now = (await snapshots.snapshotGit(tree)) ?? NOTHING;
  if (now === git) return true;
  const { applied } = await snapshots.applyGit(...overwriting(await snapshots.changes(now, git)));
  return applied;
}

function overwriting(rows: readonly TreeChange[]): [readonly TreeChange[], { overwrite: ReadonlySet<string> }] {
  return [rows, { overwrite: new Set(rows.map(({ path }) => path)) }];
}

async function clear(root: string): Promise<void> {
  chmodSync(root, OWNER_ALL);
  using folder = openDirectory(root);
  const yielder = new Yielder();
  for (const name of listNames(folder)) await removeEntry(folder, name, yielder);
}
