import { closeSync, fchmodSync, mkdirSync, openSync, readdirSync, symlinkSync, writeSync, chmodSync } from 'node:fs';
import { KlausError, type TreeId } from '@klaus/core/protocol';
import { type FileName, joinFileName, toFileName } from '../../byte-names.ts';
import { Yielder } from '../../yielder.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { toStateWrite } from '../states.ts';
import type { Node } from '../tree.ts';
import { toTreeHash } from '../trees.ts';

/**
 * Writes a state into the workspace, which must be empty. Much faster than applying changes, because nothing is there
 * that could be lost: it keeps no journal and does not sync. After a kill, empty the folder and call it again. The state
 * must be complete, see `withoutUnstored`.
 *
 * @throws KlausError `usage` for a workspace with files or a state that is not stored, `store.full`, `store.corrupt`.
 */
export async function checkOut(store: SnapshotStore, tree: TreeId): Promise<void> {
  const { trees, root, db } = store;
  const hash = toTreeHash(trees, tree);
  if (readdirSync(root.path).length > 0) {
    throw new KlausError('usage', `The workspace ${root.path} is not empty.`, { hint: 'Use an empty folder.' });
  }
  await new CheckOut(store).fill(root.path, trees.nodes(hash));
  db.transaction(() => toStateWrite(db, hash, { isLast: true })?.());
}

class CheckOut {
  readonly #store: SnapshotStore;
  readonly #yielder = new Yielder();

  constructor(store: SnapshotStore) {
    this.#store = store;
  }

  async fill(folder: FileName, nodes: readonly Node[]): Promise<void> {
    for (const node of nodes) {
      const path = joinFileName(folder, toFileName(node.name));
      if (node.type === 'directory') {
        mkdirSync(path, { mode: 0o700 });
        await this.fill(path, this.#store.trees.nodes(node.hash));
        // Last, because the folder may not be writable.
        chmodSync(path, node.mode);
      } else if (node.type === 'symlink') symlinkSync(await this.#store.objects.read(node.hash), path);
      else await this.#write(path, node);
      if (this.#yielder.due) await this.#yielder.yield();
    }
  }

  async #write(path: FileName, { hash, mode }: Node): Promise<void> {
    const descriptor = openSync(path, 'wx', 0o600);
    try {
      for await (const piece of this.#store.objects.pieces(hash)) {
        for (let at = 0; at < piece.length;) at += writeSync(descriptor, piece, at);
      }
      fchmodSync(descriptor, mode);
    } finally {
      closeSync(descriptor);
    }
  }
}
