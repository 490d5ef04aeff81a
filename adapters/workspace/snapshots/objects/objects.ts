import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { corrupt, type Database } from '../database.ts';
import { codeOf } from '../../race-error.ts';
import { EMPTY, sha256 } from '../tree.ts';

const decompress = promisify(zstdDecompress);
/** Cached decompressed blocks of half a megabyte each. A restore reads objects of the same block consecutively. */
const MAX_CACHED_BLOCKS = 8;
const HASH_BYTES = 32;

interface ObjectRow {
  size: number;
  block: number | null;
  at: number | null;
  chunks: Uint8Array | null;
}

export interface BlockRow {
  id: number;
  pack: string | null;
  at: number;
  stored: number;
  raw: number;
  data: Uint8Array | null;
}

export class Objects {
  readonly #db: Database;
  readonly #blocks = new Map<number, Buffer>();

  constructor(db: Database) {
    this.#db = db;
  }

  has(hash: Buffer): boolean {
    return hash.equals(EMPTY) || this.#db.get('SELECT 1 FROM objects WHERE hash = ?', hash) !== undefined;
  }

  /** The chunks of a content in order, each verified against its hash. @throws KlausError `store.corrupt`. */
  async *pieces(hash: Buffer): AsyncGenerator<Buffer> {
    if (hash.equals(EMPTY)) return;
    for await (const view of this.#views(hash, this.#row(hash))) yield Buffer.from(view);
  }

  /** A complete content. @throws KlausError `store.corrupt` when it is missing or modified. */
  async read(hash: Buffer): Promise<Buffer> {
    if (hash.equals(EMPTY)) return Buffer.alloc(0);
    const row = this.#row(hash);
    const bytes = Buffer.allocUnsafeSlow(row.size);
    let at = 0;
    for await (const view of this.#views(hash, row)) {
      view.copy(bytes, at);
      at += view.length;
    }
    if (at !== row.size) throw corrupt(this.#db.folder, `the content ${hash.toString('hex')} was modified`);
    return bytes;
  }

  /** The verified chunks of a content in cached blocks, which the caller copies. */
  async *#views(hash: Buffer, row: ObjectRow): AsyncGenerator<Buffer> {
    if (row.chunks === null) yield await this.#view(hash, row);
    else for (const chunk of toHashes(row.chunks)) yield await this.#view(chunk, this.#row(chunk));
  }

  #row(hash: Buffer): ObjectRow {
    const row = this.#db.get<ObjectRow>('SELECT size, block, at, chunks FROM objects WHERE hash = ?', hash);
    if (!row) throw corrupt(this.#db.folder, `the content ${hash.toString('hex')} is missing`);
    return row;
  }

  async #view(hash: Buffer, row: ObjectRow): Promise<Buffer> {
    try {
      const block = await this.#block(row.block!);
      const view = block.subarray(row.at!, row.at! + row.size);
      if (sha256(view).equals(hash)) return view;
      throw corrupt(this.#db.folder, `the content ${hash.toString('hex')} was modified`);
    } catch (error) {
      // The garbage collection of another process may have moved it.
      const now = this.#row(hash);
      if (now.block === row.block && now.at === row.at) throw error;
      return await this.#view(hash, now);
    }
  }

  async #block(id: number): Promise<Buffer> {
    const cached = this.#blocks.get(id);
    if (cached) return cached;
    const block = await readBlock(this.#db, id);
    this.#blocks.set(id, block);
    if (this.#blocks.size > MAX_CACHED_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!);
    return block;
  }
}

export async function readBlock(db: Database, id: number): Promise<Buffer> {
  const row = db.get<BlockRow>('SELECT * FROM blocks WHERE id = ?', id);
  if (!row) throw corrupt(db.folder, `block ${id} is missing`);
  const stored = row.pack === null ? Buffer.from(row.data!) : await readStored(db, row);
  if (row.stored === row.raw) return stored;
  try {
    return await decompress(stored);
  } catch (error) {
    throw corrupt(db.folder, `block ${id} cannot be decompressed`, error);
  }
}

/** The stored bytes of a block in its pack. */
export async function readStored(db: Database, row: BlockRow): Promise<Buffer> {
  try {
    await using handle = await open(join(db.folder, 'packs', row.pack!));
    const bytes = Buffer.allocUnsafe(row.stored);
    const { bytesRead } = await handle.read(bytes, 0, row.stored, row.at);
    if (bytesRead < row.stored) throw corrupt(db.folder, `${row.pack!} is truncated`);
    return bytes;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    // The garbage collection of another process has moved the block to another pack.
    const now = db.get<BlockRow>('SELECT * FROM blocks WHERE id = ?', row.id);
    if (now?.pack != null && now.pack !== row.pack) return await readStored(db, now);
    throw corrupt(db.folder, `${row.pack!} is missing`, error);
  }
}

export function toHashes(chunks: Uint8Array): Buffer[] {
  const all = Buffer.from(chunks);
  return Array.from({ length: all.length / HASH_BYTES }, (_, i) => all.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
}
