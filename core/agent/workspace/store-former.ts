import type { TreeId } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';

/**
 * Stores the present content of files in folders of tools, which a state may lack, so that it can be reviewed or restored.
 *
 * @param base The state, from whose files these do not differ. @param paths Files, and folders with all of their content.
 */
export async function storeFormer(snapshots: Snapshots, base: TreeId, paths: readonly string[]): Promise<void> {
  if (paths.length === 0 || !snapshots.toolFolders().some(({ isActive }) => isActive)) return;
  const missing: string[] = [];
  for (const path of new Set(paths)) {
    const entry = await snapshots.entry(base, path);
    if (entry && (entry.type === 'directory' || !snapshots.isStored(entry, path))) missing.push(path);
  }
  if (missing.length > 0) await snapshots.snapshot({ only: { base, paths: missing } });
}
