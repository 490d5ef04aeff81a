import type { TreeChange, TreeEntry, TreeId } from '@klaus/core/protocol';
import { Yielder } from '../yielder.ts';
import { ObjectWriter } from './objects/object-writer.ts';
import { toEdit } from './path.ts';
import { editTree } from './restore/edit-tree.ts';
import { withScan, type SnapshotStore } from './snapshot-store.ts';
import { readMetadata, toStateWrite } from './states.ts';
import { EMPTY, sha256, toTreeEntry } from './tree.ts';
import { toTreeHash } from './trees.ts';

/** See `Snapshots.edit`. */
export function editState(store: SnapshotStore, base: TreeId, rows: readonly TreeChange[]): Promise<TreeId> {
  const { root, trees, db } = store;
  return withScan(store, { root, updatesCache: false, yielder: new Yielder() }, async (scan) => {
    const from = toTreeHash(trees, base);
    const tree = await editTree(scan, from, new Map(rows.map(({ path, after }) => [path, toEdit(after)])));
    await scan.batch.flush(toStateWrite(db, tree, { metadata: readMetadata(db, from), isLast: false }));
    return tree.toString('hex');
  });
}

/** See `Snapshots.put`. */
export async function storeContent(
  store: SnapshotStore,
  content: Uint8Array,
  entry: Pick<TreeEntry, 'type' | 'mode'>,
): Promise<TreeEntry> {
  if (entry.type === 'directory') return toTreeEntry({ ...entry, type: 'directory', size: 0, hash: EMPTY });
  const bytes = Buffer.from(content);
  const hash = sha256(bytes);
  const writer = new ObjectWriter(store.db, new Yielder());
  try {
    writer.add(hash, bytes);
    await writer.flush();
  } finally {
    await writer.close();
  }
  return toTreeEntry({ ...entry, size: bytes.length, hash });
}
