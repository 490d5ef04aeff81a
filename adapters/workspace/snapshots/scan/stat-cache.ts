import type { Stats } from 'node:fs';
import type { Database } from '../database.ts';
import { decodeTree, TreeCursor, type Node } from '../tree.ts';

/** Numbers per entry: size, mtime, ctime and inode. */
const NUMBERS = 4;
const CTIME = 2;
const HASH_BYTES = 32;
const MAX_LOADED_BYTES = 32 * 1024 * 1024;
/**
 * A file that changed within this many milliseconds can change again without a new change time, because the clocks of
 * filesystems advance in steps of some milliseconds, and of FAT in steps of two seconds. It is read again the next time.
 */
const RACY_MS = 2_000;

/**
 * The cached result of the last scan of one directory: its object, and for each entry the numbers that identify an
 * unchanged file. Times are milliseconds with fractions of at most 244 nanoseconds, finer than the clocks that set them.
 */
export class CachedDirectory {
  readonly tree: Buffer;
  readonly bytes: Buffer;
  readonly #numbers: Float64Array;
  readonly cursor: TreeCursor;

  /** @param data From {@link encodeDirectory}. */
  constructor(data: Uint8Array) {
    const aligned = data.byteOffset % 8 === 0 ? data : new Uint8Array(data);
    this.tree = Buffer.from(aligned.buffer, aligned.byteOffset, HASH_BYTES);
    const count = new Float64Array(aligned.buffer, aligned.byteOffset + HASH_BYTES, 1)[0]!;
    this.#numbers = new Float64Array(aligned.buffer, aligned.byteOffset + HASH_BYTES + 8, count * NUMBERS);
    const head = HASH_BYTES + 8 * (1 + count * NUMBERS);
    this.bytes = Buffer.from(aligned.buffer, aligned.byteOffset + head, aligned.length - head);
    this.cursor = new TreeCursor(this.bytes);
  }

  get count(): number {
    return this.#numbers.length / NUMBERS;
  }

  /** True when the entry at the cursor certainly has the same content. */
  isUnchanged(stat: Stats): boolean {
    return this.#numbers[this.cursor.index * NUMBERS + CTIME] === stat.ctimeMs && this.isProbablyUnchanged(stat);
  }

  /**
   * True when only owner, mode or name of the entry seem to have changed. For a file that is not readable any more, the
   * cached content is then the best known one.
   */
  isProbablyUnchanged(stat: Stats): boolean {
    const at = this.cursor.index * NUMBERS;
    return (
      this.#numbers[at] === stat.size && this.#numbers[at + 1] === stat.mtimeMs && this.#numbers[at + 3] === stat.ino
    );
  }

  numbers(index: number): Float64Array {
    return this.#numbers.subarray(index * NUMBERS, (index + 1) * NUMBERS);
  }

  nodes(): Node[] {
    return decodeTree(this.bytes);
  }
}

/** The results of the last scan by directory, partly in memory, because a session scans the same folders repeatedly. */
export class StatCache {
  readonly #db: Database;
  readonly #loaded = new Map<string, Uint8Array>();
  #bytes = 0;
  #version = '';

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Clears the memory when another process has written to the database. Call it before each scan.
   *
   * @returns True if that was so.
   */
  refresh(): boolean {
    const { data_version: data } = this.#db.get<{ data_version: number }>('PRAGMA data_version')!;
    // Each connection counts for itself.
    const version = `${this.#db.openings} ${data}`;
    const isChanged = version !== this.#version;
    if (isChanged) this.#clear();
    this.#version = version;
    return isChanged;
  }

  get(path: string): CachedDirectory | undefined {
    let data = this.#loaded.get(path);
    if (!data) {
      data = this.#db.get<{ data: Uint8Array }>('SELECT data FROM seen WHERE path = ?', path)?.data;
      if (!data) return undefined;
      if (this.#bytes + data.length < MAX_LOADED_BYTES) {
        this.#loaded.set(path, data);
        this.#bytes += data.length;
      }
    }
    return new CachedDirectory(data);
  }

  /** Call in a transaction. */
  put(path: string, tree: Buffer, data: Buffer): void {
    this.#drop(path);
    this.#db.run('INSERT OR REPLACE INTO seen VALUES (?, ?, ?)', path, tree, data);
  }

  /** Removes a directory and its content from the cache. Call in a transaction. */
  forget(path: string): void {
    this.#clear();
    this.#db.run('DELETE FROM seen WHERE path = ? OR (path > ? AND path < ?)', path, `${path}/`, `${path}0`);
  }

  #drop(path: string): void {
    this.#bytes -= this.#loaded.get(path)?.length ?? 0;
    this.#loaded.delete(path);
  }

  #clear(): void {
    this.#loaded.clear();
    this.#bytes = 0;
  }
}

/**
 * The numbers of one entry. Without a reliable change time they are not equal to any others.
 *
 * @param options.since Start of the scan in milliseconds since 1970.
 */
export function toNumbers(stat: Stats, options: { since: number; steady: boolean }): Float64Array {
  const sure = options.steady && stat.ctimeMs < options.since - RACY_MS;
  return Float64Array.of(stat.size, stat.mtimeMs, sure ? stat.ctimeMs : Number.NaN, stat.ino);
}

/** Encodes a row: the hash of the directory object, the number of entries, their numbers, and the object itself. */
export function encodeDirectory(hash: Buffer, numbers: readonly Float64Array[], tree: Buffer): Buffer {
  const all = new Float64Array(1 + numbers.length * NUMBERS);
  all[0] = numbers.length;
  for (const [i, four] of numbers.entries()) all.set(four, 1 + i * NUMBERS);
  return Buffer.concat([hash, Buffer.from(all.buffer), tree]);
}
