import { randomBytes } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { toSnapshotError, type Database } from '../database.ts';
import type { Yielder } from '../../yielder.ts';
import { EMPTY } from '../tree.ts';

const compress = promisify(zstdCompress);
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const BLOCK_BYTES = 512 * 1024;
/** Limit of bytes that are being compressed or wait to be written. Together with one chunk it bounds the memory. */
const MAX_PENDING = 8 * 1024 * 1024;
/** Smaller data is stored in the database, to avoid a pack file for every turn. */
const INLINE_BYTES = 1024 * 1024;
const MAX_PACK_BYTES = 256 * 1024 * 1024;
/** Limit of objects without a row in the database. */
const MAX_UNCOMMITTED = 20_000;
/** Age in seconds after which the last use of an object is updated. */
const FRESH_S = 600;

interface Item {
  hash: Buffer;
  at: number;
  size: number;
}

interface Block {
  items: Item[];
  raw: number;
  stored: number;
  /** Name of the pack; null while the bytes are in `data`. */
  pack: string | null;
  at: number;
  data: Buffer | null;
}

/** Stores contents: collects them in blocks, compresses the blocks outside the main thread, and writes them to packs. */
export class ObjectWriter {
  readonly #db: Database;
  readonly #yielder: Yielder;
  /** Hashes without a row in the database. */
  readonly #known = new Set<string>();
  #parts: Buffer[] = [];
  #items: Item[] = [];
  #size = 0;
  #pendingBytes = 0;
  #uncommitted = 0;
  #chain: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;
  #blocks: Block[] = [];
  #inline = 0;
  #chunked: { hash: Buffer; size: number; chunks: Buffer }[] = [];
  #pack: { name: string; handle: FileHandle; size: number } | undefined;

  constructor(db: Database, yielder: Yielder) {
    this.#db = db;
    this.#yielder = yielder;
  }

  /** True when {@link drain} must be awaited before more is added. */
  get full(): boolean {
    return this.#pendingBytes > MAX_PENDING || this.#uncommitted > MAX_UNCOMMITTED;
  }

  /** `bytes` must not be modified later. */
  add(hash: Buffer, bytes: Buffer): void {
    if (this.has(hash)) return;
    this.#known.add(hash.toString('latin1'));
    this.#items.push({ hash, at: this.#size, size: bytes.length });
    this.#parts.push(bytes);
    this.#size += bytes.length;
    this.#pendingBytes += bytes.length;
    this.#uncommitted++;
    if (this.#size >= BLOCK_BYTES) this.#closeBlock();
  }

  /** Adds a content whose chunks were added before. */
  addChunked(hash: Buffer, size: number, chunks: readonly Buffer[]): void {
    if (this.has(hash)) return;
    this.#known.add(hash.toString('latin1'));
    this.#chunked.push({ hash, size, chunks: Buffer.concat(chunks) });
  }

  has(hash: Buffer): boolean {
    if (hash.equals(EMPTY) || this.#known.has(hash.toString('latin1'))) return true;
    const row = this.#db.get<{ made: number }>('SELECT made FROM objects WHERE hash = ?', hash);
    if (!row) return false;
    if (row.made < now() - FRESH_S) this.#db.run('UPDATE objects SET made = ? WHERE hash = ?', now(), hash);
    return true;
  }

  /** Waits until more can be added. */
  async drain(): Promise<void> {
    if (this.#uncommitted > MAX_UNCOMMITTED) await this.flush();
    else await this.#waitForBlocks();
  }

  /** Makes all added contents durable. @throws KlausError `store.full`. */
  async flush(): Promise<void> {
    await commit(this.#db, this.#yielder, await this.prepare());
  }

  /** Makes the contents durable and returns the writes of their rows, to be run in order. */
  async prepare(): Promise<Write[]> {
    this.#closeBlock();
    await this.#waitForBlocks();
    await this.#pack?.handle.datasync();
    const blocks = this.#blocks;
    const chunked = this.#chunked;
    this.#blocks = [];
    this.#chunked = [];
    this.#inline = 0;
    this.#uncommitted = 0;
    this.#known.clear();
    return [
      ...blocks.map((block) => () => this.#insertBlock(block)),
      ...chunked.map(({ hash, size, chunks }) => () => {
        this.#db.run('INSERT OR IGNORE INTO objects VALUES (?, ?, NULL, NULL, ?, ?)', hash, size, chunks, now());
      }),
    ];
  }

  async close(): Promise<void> {
    await this.#chain.catch(() => undefined);
    await this.#pack?.handle.close();
    // A pack without rows is never read.
    if (this.#pack && !this.#db.get('SELECT 1 FROM blocks WHERE pack = ? LIMIT 1', this.#pack.name)) {
      await rm(join(this.#db.folder, 'packs', this.#pack.name), { force: true });
    }
    this.#pack = undefined;
  }

  #insertBlock({ items, pack, at, stored, raw, data }: Block): void {
    const sql = 'INSERT INTO blocks (pack, at, stored, raw, data) VALUES (?, ?, ?, ?, ?)';
    const id = this.#db.run(sql, pack, at, stored, raw, data).lastInsertRowid;
    for (const { hash, size, at: begin } of items)
      this.#db.run('INSERT OR IGNORE INTO objects VALUES (?, ?, ?, ?, NULL, ?)', hash, size, id, begin, now());
  }

  async #waitForBlocks(): Promise<void> {
    await this.#chain;
    if (this.#failure) throw this.#failure.error;
  }

  /** Closes the present block and starts its compression. */
  #closeBlock(): void {
    if (this.#items.length === 0) return;
    const items = this.#items;
    const bytes = Buffer.concat(this.#parts);
    this.#items = [];
    this.#parts = [];
    this.#size = 0;
    const compressed = compress(bytes, LEVEL);
    this.#chain = this.#chain
      .then(async () => {
        const packed = await compressed;
        const data = packed.length < bytes.length ? packed : bytes;
        const block: Block = { items, raw: bytes.length, stored: data.length, pack: null, at: 0, data };
        this.#blocks.push(block);
        if (this.#pack) await this.#writeToPack(block);
        else if ((this.#inline += data.length) > INLINE_BYTES) {
          for (const waiting of this.#blocks) await this.#writeToPack(waiting);
          this.#inline = 0;
        }
      })
      .catch((error: unknown) => {
        this.#failure ??= { error: toSnapshotError(error, this.#db.folder) };
      })
      .then(() => {
        this.#pendingBytes -= bytes.length;
      });
  }

  /** Writes the bytes of a block to the pack. */
  async #writeToPack(block: Block): Promise<void> {
    if (block.data === null) return;
    if (this.#pack && this.#pack.size > MAX_PACK_BYTES) {
      await this.#pack.handle.datasync();
      await this.#pack.handle.close();
      this.#pack = undefined;
    }
    this.#pack ??= await createPack(this.#db.folder);
    await writeFully(this.#pack.handle, block.data, this.#pack.size);
    block.pack = this.#pack.name;
    block.at = this.#pack.size;
    block.data = null;
    this.#pack.size += block.stored;
  }
}

/** A change of the database. */
export type Write = () => void;

/** Milliseconds of writing in one transaction, so that other processes can write in between. */
const TRANSACTION_MS = 15;
const ONE_TRANSACTION = 200;

/**
 * Runs the writes in order, in one transaction if there are few. Durable when it resolves. Of several transactions only
 * the last one syncs the disk, which includes the log of the others.
 */
export function commit(db: Database, yielder: Yielder, writes: readonly Write[]): Promise<void> {
  // No other commit may run while transactions do not sync the disk.
  return db.inTurn(() => commitNow(db, yielder, writes));
}

async function commitNow(db: Database, yielder: Yielder, writes: readonly Write[]): Promise<void> {
  if (writes.length === 0) return;
  if (writes.length <= ONE_TRANSACTION) {
    db.transaction(() => writes.forEach((write) => write()));
    return;
  }
  db.exec('PRAGMA synchronous = NORMAL');
  try {
    for (let at = 0; at < writes.length;) {
      db.transaction(() => {
        const begun = performance.now();
        while (at < writes.length && performance.now() - begun < TRANSACTION_MS) writes[at++]!();
      });
      if (yielder.due) await yielder.yield();
    }
  } finally {
    db.exec('PRAGMA synchronous = FULL');
  }
  // A transaction without changes would not sync the disk.
  const mark = randomBytes(8);
  db.transaction(() => db.run("INSERT OR REPLACE INTO meta VALUES ('committed', ?)", mark));
}

/** Creates a pack with a durable name. */
export async function createPack(folder: string): Promise<{ name: string; handle: FileHandle; size: number }> {
  const name = `${randomBytes(12).toString('hex')}.pack`;
  const handle = await open(join(folder, 'packs', name), 'wx', 0o600);
  await using directory = await open(join(folder, 'packs'));
  await directory.sync();
  return { name, handle, size: 0 };
}

/** Writes all bytes. A single write can be partial, for example on a nearly full disk. */
export async function writeFully(handle: FileHandle, bytes: Buffer, position: number | null): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const at = position === null ? null : position + done;
    done += (await handle.write(bytes, done, bytes.length - done, at)).bytesWritten;
  }
}

/** Seconds since 1970. */
export function now(): number {
  return Math.floor(Date.now() / 1_000);
}
