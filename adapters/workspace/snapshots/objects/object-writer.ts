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
/** Bytes in blocks that are being compressed or wait to be written; together with one chunk the bound of memory. */
const MAX_PENDING = 8 * 1024 * 1024;
/** What is smaller goes into the database: a file of its own for each turn would only be a burden. */
const INLINE_BYTES = 1024 * 1024;
const MAX_PACK_BYTES = 256 * 1024 * 1024;
/** Objects that wait for their rows. */
const MAX_UNCOMMITTED = 20_000;
/** A known object is marked as used again when the mark is older than this many seconds. */
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
  /** In the pack, or the bytes themselves until it is decided where they go. */
  pack: string | null;
  at: number;
  data: Buffer | null;
}

/** Takes in contents: gathers them into blocks, compresses these beside the main thread and packs them. */
export class ObjectWriter {
  readonly #db: Database;
  readonly #yielder: Yielder;
  /** Hashes of this writer that have no row yet. */
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

  /** `bytes` must not be altered afterwards. */
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

  /** A content that was added in pieces. */
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

  /** Waits until there is room. */
  async drain(): Promise<void> {
    if (this.#uncommitted > MAX_UNCOMMITTED) await this.flush();
    else await this.#waitForBlocks();
  }

  /** Everything added so far is durable when it resolves. @throws KlausError `store.full`. */
  async flush(): Promise<void> {
    await commit(this.#db, this.#yielder, await this.prepare());
  }

  /** Makes the contents durable and returns the writes that make them known, to be run in order. */
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
    // Without rows nobody will ever look into it.
    if (this.#pack && !this.#db.get('SELECT 1 FROM blocks WHERE pack = ? LIMIT 1', this.#pack.name)) {
      await rm(join(this.#db.folder, 'packs', this.#pack.name), { force: true });
    }
    this.#pack = undefined;
  }

  #insertBlock({ items, pack, at, stored, raw, data }: Block): void {
    const sql = 'INSERT INTO blocks (pack, at, stored, raw, data) VALUES (?, ?, ?, ?, ?)';
    const id = this.#db.run(sql, pack, at, stored, raw, data);
    for (const { hash, size, at: begin } of items)
      this.#db.run('INSERT OR IGNORE INTO objects VALUES (?, ?, ?, ?, NULL, ?)', hash, size, id, begin, now());
  }

  async #waitForBlocks(): Promise<void> {
    await this.#chain;
    if (this.#failure) throw this.#failure.error;
  }

  /** Ends the present block and sends it on its way. */
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

  /** Moves a block's bytes into the pack. */
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

/** One change of the database. */
export type Write = () => void;

/** Milliseconds of writing in one transaction: others get their turn in between. */
const TRANSACTION_MS = 15;
const ONE_TRANSACTION = 200;

/**
 * Runs the writes in order, in one transaction when they are few. Durable when it resolves: of several transactions
 * only the last waits for the disk, which then has the log of all.
 */
export function commit(db: Database, yielder: Yielder, writes: readonly Write[]): Promise<void> {
  // In turn: no other commit may fall into the time when they do not wait for the disk.
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
  // A transaction that changes nothing would not wait for the disk.
  const mark = randomBytes(8);
  db.transaction(() => db.run("INSERT OR REPLACE INTO meta VALUES ('committed', ?)", mark));
}

/** A new pack whose name is durable. */
export async function createPack(folder: string): Promise<{ name: string; handle: FileHandle; size: number }> {
  const name = `${randomBytes(12).toString('hex')}.pack`;
  const handle = await open(join(folder, 'packs', name), 'wx', 0o600);
  const directory = await open(join(folder, 'packs'));
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
  return { name, handle, size: 0 };
}

/** One write may take only a part, for example on a disk that is nearly full. */
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
