import type { Database } from '../database.ts';
import { commit, now, type ObjectWriter, type Write } from './object-writer.ts';
import type { Yielder } from '../../yielder.ts';
import type { StatCache } from '../scan/stat-cache.ts';
import { EMPTY, sha256 } from '../tree.ts';

const MAX_PENDING = 2_000;
/** One that is there already is only marked as used again, and not each time. */
const INSERT_TREE = `INSERT INTO trees VALUES (?, ?, ?)
  ON CONFLICT (hash) DO UPDATE SET made = excluded.made WHERE made < excluded.made - 600`;

/** Directory objects, and what was seen in them, on their way into the store, children before their parents. */
export class Batch {
  readonly #db: Database;
  readonly #index: StatCache;
  readonly #writer: ObjectWriter;
  readonly #yielder: Yielder;
  #trees: { hash: Buffer; bytes: Buffer }[] = [];
  #seen: { path: string; tree: Buffer; data: Buffer }[] = [];
  #forgotten: string[] = [];

  constructor(store: { db: Database; statCache: StatCache }, writer: ObjectWriter, yielder: Yielder) {
    this.#db = store.db;
    this.#index = store.statCache;
    this.#writer = writer;
    this.#yielder = yielder;
  }

  get full(): boolean {
    return this.#trees.length + this.#seen.length > MAX_PENDING;
  }

  tree(bytes: Buffer): Buffer {
    const hash = bytes.length === 0 ? EMPTY : sha256(bytes);
    this.#trees.push({ hash, bytes });
    return hash;
  }

  seen(path: string, tree: Buffer, data: Buffer): void {
    this.#seen.push({ path, tree, data });
  }

  /** Forgets a directory and what is below it. */
  forget(path: string): void {
    this.#forgotten.push(path);
  }

  /**
   * Everything so far is durable when it resolves, in an order such that nothing points to what is not there.
   *
   * @param last What is written at the end, with the rest where that is small.
   */
  async flush(last?: Write): Promise<void> {
    const writes = await this.#writer.prepare();
    const trees = this.#trees;
    const seen = this.#seen;
    const forgotten = this.#forgotten;
    this.#trees = [];
    this.#seen = [];
    this.#forgotten = [];
    for (const { hash, bytes } of trees) writes.push(() => this.#db.run(INSERT_TREE, hash, bytes, now()));
    // First: a directory may have gone and come again under the same name.
    for (const path of forgotten) writes.push(() => this.#index.forget(path));
    for (const { path, tree, data } of seen) writes.push(() => this.#index.put(path, tree, data));
    if (last) writes.push(last);
    await commit(this.#db, this.#yielder, writes);
  }
}
