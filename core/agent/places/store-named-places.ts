import { isBelow } from '../../policy/index.ts';
import { findHookFiles } from '../hooks/hook-files.ts';
import type { Work } from '../loop/work.ts';
import { storeFormer } from '../workspace/store-former.ts';
import { findLinkedPlaces, type WorkspaceState } from './linked-places.ts';

/**
 * Stores the content of protected places in folders of tools that only something else names, such as `core.hooksPath` or a
 * link, so that a change of them can be reverted. States have the content of all other protected places.
 */
export async function storeNamedPlaces(work: Work, state: WorkspaceState): Promise<void> {
  const snapshots = await work.snapshots();
  const folders = snapshots.toolFolders().filter(({ isActive }) => isActive);
  if (folders.length === 0) return;
  const named = await findLinkedPlaces(snapshots, state, await findHookFiles(work));
  const inside = named.filter((path) => folders.some((folder) => path !== folder.path && isBelow(path, folder.path)));
  await storeFormer(snapshots, state.tree, inside);
}
