import { findHookFiles } from '../hooks/hook-files.ts';
import type { Work } from '../loop/work.ts';
import { findLinkedPlaces, type WorkspaceState } from './linked-places.ts';

/** Places that were found while a session was held: a command cannot remove one by a change of what names it. */
const known = new WeakMap<Work, Set<string>>();

/**
 * Paths of the workspace that are protected because something outside of it names them: hooks of Klaus, and Git's
 * configuration of the user and of the repository into which a working copy is merged.
 */
export async function findFurtherPlaces(work: Work, tops: readonly string[]): Promise<readonly string[]> {
  const found = known.get(work) ?? new Set<string>();
  known.set(work, found);
  const { root } = await work.workspace();
  for (const path of await work.engine.configuredPlaces(root, tops)) found.add(path);
  return [...(await findHookFiles(work)), ...found];
}

/** Paths of the workspace in a known state that are protected because others name them. */
export async function findNamedPlaces(work: Work, state: WorkspaceState): Promise<readonly string[]> {
  const snapshots = await work.snapshots();
  const tops = snapshots.git(state.tree).map(({ path }) => path);
  return findLinkedPlaces(snapshots, state, await findFurtherPlaces(work, tops));
}
