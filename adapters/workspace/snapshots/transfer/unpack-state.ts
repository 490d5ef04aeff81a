import { createHash } from 'node:crypto';
import type { TreeId } from '@klaus/core/protocol';
import { z } from 'zod';
import { Yielder } from '../../yielder.ts';
import { gitStateSchema } from '../git/git-state.ts';
import { createBatch } from '../objects/batch.ts';
import { ObjectWriter } from '../objects/object-writer.ts';
import { toHashes } from '../objects/objects.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { toStateWrite, uncoveredSchema } from '../states.ts';
import { compareNames, decodeTree, EMPTY, sha256, type Node } from '../tree.ts';
import { damaged, decodePack, type Part } from './pack.ts';

const metadataSchema = z.object({ git: z.array(gitStateSchema), uncovered: z.array(uncoveredSchema) });

/**
 * Stores a state of another machine from its packs, in their order. Every part is compared with its hash, so the packs
 * may come from a place that is not trusted. Without an error the state is durable, and complete except for content that
 * the other machine has not stored.
 *
 * @throws KlausError `store.corrupt` for packs that are damaged, incomplete, or of another state; `store.full`.
 */
export async function unpackState(store: SnapshotStore, packs: AsyncIterable<Uint8Array>, tree: TreeId): Promise<void> {
  const yielder = new Yielder();
  const writer = new ObjectWriter(store.db, yielder);
  try {
    const unpacking = new Unpacking(store, writer, yielder);
    for await (const pack of packs) for (const part of await decodePack(pack)) await unpacking.add(part);
    await unpacking.finish(tree);
  } finally {
    await writer.close();
  }
}

class Unpacking {
  readonly #store: SnapshotStore;
  readonly #writer: ObjectWriter;
  readonly #yielder: Yielder;
  readonly #batch: ReturnType<typeof createBatch>;
  /** Directory objects that are not written yet. */
  readonly #trees = new Set<string>();
  /** Contents that the other machine has not stored. */
  readonly #absent = new Set<string>();
  readonly #states = new Map<string, z.infer<typeof metadataSchema>>();

  constructor(store: SnapshotStore, writer: ObjectWriter, yielder: Yielder) {
    this.#store = store;
    this.#writer = writer;
    this.#yielder = yielder;
    this.#batch = createBatch(store, writer, yielder);
  }

  async add({ kind, hash, size, bytes }: Part): Promise<void> {
    if (this.#yielder.due) await this.#yielder.yield();
    if (kind === 'state') {
      this.#states.set(hash.toString('hex'), toMetadata(bytes));
      return;
    }
    if (kind === 'absent') {
      if (this.#absent.size === 0) this.#store.db.markIncomplete();
      this.#absent.add(hash.toString('latin1'));
      return;
    }
    if (kind === 'list') await this.#addList(hash, size, bytes);
    else {
      if (!sha256(bytes).equals(hash)) throw damaged(`its ${kind} ${hash.toString('hex')} has other bytes`);
      // The buffer of the pack would stay in memory with each part.
      if (kind === 'piece') this.#writer.add(Buffer.from(hash), Buffer.from(bytes));
      else this.#addDirectory(hash, Buffer.from(bytes));
    }
    if (this.#writer.full) await this.#writer.drain();
    if (this.#batch.full) await this.#flush();
  }

  async finish(tree: TreeId): Promise<void> {
    await this.#flush();
    const root = Buffer.from(tree, 'hex');
    const metadata = this.#states.get(tree);
    if (root.length !== 32 || !metadata || !this.#store.trees.has(root)) {
      throw damaged(`the state ${tree.slice(0, 12)} is not complete`);
    }
    if (root.equals(EMPTY)) this.#batch.tree(Buffer.alloc(0));
    await this.#batch.flush(toStateWrite(this.#store.db, root, { metadata, isLast: false }));
  }

  async #flush(): Promise<void> {
    await this.#batch.flush();
    this.#trees.clear();
  }

  /** The chunks are read again, because their hashes do not show that they are those of this content. */
  async #addList(hash: Buffer, size: number, bytes: Buffer): Promise<void> {
    if (bytes.length % 32 !== 0 || bytes.length === 0) throw damaged('a list of chunks is too short');
    await this.#flush();
    const chunks = toHashes(Buffer.from(bytes));
    const content = createHash('sha256');
    let length = 0;
    for (const chunk of chunks) {
      if (!this.#writer.has(chunk)) throw damaged(`the chunk ${chunk.toString('hex')} is missing`);
      const piece = await this.#store.objects.read(chunk);
      content.update(piece);
      length += piece.length;
    }
    if (length !== size || !content.digest().equals(hash)) {
      throw damaged(`its list ${hash.toString('hex')} has other chunks`);
    }
    this.#writer.addChunked(Buffer.from(hash), size, chunks);
  }

  #addDirectory(hash: Buffer, bytes: Buffer): void {
    let last = '';
    for (const node of decodeTree(bytes)) {
      if (!isName(node.name) || compareNames(last, node.name) >= 0) throw damaged('a directory has an invalid name');
      if (!this.#has(node)) throw damaged(`the ${node.type} ${node.hash.toString('hex')} is missing`);
      last = node.name;
    }
    this.#batch.tree(bytes);
    this.#trees.add(hash.toString('latin1'));
  }

  #has({ type, hash }: Node): boolean {
    if (type !== 'directory') return this.#writer.has(hash) || this.#absent.has(hash.toString('latin1'));
    return this.#trees.has(hash.toString('latin1')) || this.#store.trees.has(hash);
  }
}

/** A name that stays in its directory. */
function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
}

function toMetadata(bytes: Buffer): z.infer<typeof metadataSchema> {
  try {
    return metadataSchema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw damaged('the metadata of its state is invalid', error);
  }
}
