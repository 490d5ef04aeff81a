import type { TreeChange, TreeId } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';

/** What a state does not contain, although it may exist: a large file without room, a folder that cannot be read, a mount. */
function findUnknown(snapshots: Snapshots, tree: TreeId): (path: string) => boolean {
  const unknown = snapshots
    .uncovered(tree)
    .filter(({ why }) => why !== 'special file' && why !== 'name is not UTF-8')
    .map(({ path }) => path);
  return (path) => unknown.some((place) => path === place || path.startsWith(`${place}/`));
}

/**
 * Leaves out the rows that only seem to create a path, because the state before did not contain what was there.
 *
 * @param rows From `snapshots.changes`. @param from The state before.
 */
export function withoutSeemingNew(snapshots: Snapshots, rows: readonly TreeChange[], from: TreeId): TreeChange[] {
  if (!rows.some(({ before }) => before === null)) return [...rows];
  const isUnknown = findUnknown(snapshots, from);
  return rows.filter(({ path, before }) => before !== null || !isUnknown(path));
}

/** Leaves out the rows that only seem to delete a path, because the state after does not contain what is there. */
export function withoutSeemingDeleted(snapshots: Snapshots, rows: readonly TreeChange[], to: TreeId): TreeChange[] {
  if (!rows.some(({ after }) => after === null)) return [...rows];
  const isUnknown = findUnknown(snapshots, to);
  return rows.filter(({ path, after }) => after !== null || !isUnknown(path));
}
