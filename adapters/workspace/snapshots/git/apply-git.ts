import type { ApplyResult } from '@klaus/core/agent';
import type { TreeChange } from '@klaus/core/protocol';
import { applyChanges } from '../restore/apply.ts';
import { bringBack, isGitPath, setAside, toRemovedFolders } from './git-data.ts';
import type { SnapshotStore } from '../snapshot-store.ts';

/** See `Snapshots.applyGit`. The caller holds the lock alone. */
export async function applyGitChanges(
  store: SnapshotStore,
  changes: readonly TreeChange[],
  options: { overwrite?: ReadonlySet<string> },
): Promise<ApplyResult> {
  const gone = toRemovedFolders(changes);
  // The folder itself still holds the objects.
  const rows = changes.filter(({ path }) => isGitPath(path) && !gone.includes(path));
  const result = await applyChanges(store, rows, { ...options, isGit: true });
  if (!result.applied) return result;
  for (const path of gone) setAside(store, path);
  for (const { path, before } of rows)
    if (!before && path.endsWith('.git/HEAD')) bringBack(store, path.slice(0, -'/HEAD'.length));
  return result;
}
