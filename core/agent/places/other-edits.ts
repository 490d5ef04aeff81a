import type { TreeChange } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';

/** A file that the workspace renames when it is complete. */
const TEMPORARY = /(?:^|\/)\.klaus-[^/]*\.tmp$/;

/** A file can change after it was read for a snapshot, and before the event of the snapshot: 60 seconds. */
const MAX_SNAPSHOT_MS = 60_000;

/**
 * Paths with the content that a call of another session in the same folder has written since a time. The gate of that
 * session allowed it. Folders and temporary files of such a call are included.
 */
export async function findOtherEdits(
  work: Work,
  { rows, since }: { rows: readonly TreeChange[]; since: number },
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const { root } = await work.workspace();
  const edits = await work.engine.editsSince(root, since - MAX_SNAPSHOT_MS);
  const isEdit = ({ path, before, after }: TreeChange): boolean => {
    if (before === null && after?.type === 'directory') return edits.some((edit) => edit.path.startsWith(`${path}/`));
    if (TEMPORARY.test(path)) return edits.some((edit) => folderOf(edit.path) === folderOf(path));
    return edits.some((edit) => edit.path === path && edit.after === (after?.hash ?? null));
  };
  return new Set(rows.filter(isEdit).map(({ path }) => path));
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
