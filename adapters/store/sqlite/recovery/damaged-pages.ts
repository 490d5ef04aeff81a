import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { PAGE_SIZE } from '../open-database.ts';

// The layout of pages, cells, records and the write-ahead log. Source: https://sqlite.org/fileformat2.html
const TABLE_LEAF = 0x0d;
const MAX_LOCAL = PAGE_SIZE - 35;
const MIN_LOCAL = Math.floor(((PAGE_SIZE - 12) * 32) / 255) - 23;
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

/** The position of a row: the write-ahead log or the database, the first byte of its page, and its cell. */
export interface Locator {
  inLog: boolean;
  page: number;
  offset: number;
  cell: number;
}

/** The decoded values of a row; undefined for a value on another page. */
export type Values = (string | number | null | undefined)[];

/**
 * The pages of a damaged database and its write-ahead log. The header, the schema and the tree are not trusted: every page
 * with the format of a table leaf is read. Nothing is written.
 */
export class DamagedPages {
  readonly #database: number | undefined;
  readonly #log: number | undefined;
  readonly #pages: number;
  /** Byte at which the newest version of a page begins in the log. */
  readonly #frames = new Map<number, number>();

  constructor(file: string) {
    this.#database = existsSync(file) ? openSync(file, 'r') : undefined;
    this.#log = existsSync(`${file}-wal`) ? openSync(`${file}-wal`, 'r') : undefined;
    this.#pages = this.#database === undefined ? 0 : Math.ceil(statSync(file).size / PAGE_SIZE);
    if (this.#log !== undefined) this.#readFrames(statSync(`${file}-wal`).size);
  }

  close(): void {
    if (this.#database !== undefined) closeSync(this.#database);
    if (this.#log !== undefined) closeSync(this.#log);
  }

  /** All rows of all tables, with the values on their first page. */
  *rows(): Generator<{ locator: Locator; values: Values }, void, undefined> {
    for (const [page, offset] of this.#frames) yield* this.#rowsOf({ inLog: true, page, offset });
    for (let page = 1; page <= this.#pages; page++) {
      yield* this.#rowsOf({ inLog: false, page, offset: (page - 1) * PAGE_SIZE });
    }
  }

  /**
   * All values of a row; undefined when one of its pages cannot be read. Its overflow pages may exist in the log and in the
   * database: the caller tries both.
   */
  row(locator: Locator, options: { preferLog: boolean }): Values | undefined {
    const bytes = this.#read(locator.inLog, locator.offset);
    const cell = bytes && toCell(bytes, locator);
    if (!cell) return undefined;
    const parts = [cell.local];
    let missing = cell.size - cell.local.length;
    for (let page = cell.overflow; missing > 0;) {
      const next = page === 0 ? undefined : this.#readPage(page, options.preferLog);
      if (!next) return undefined;
      parts.push(next.subarray(4, 4 + Math.min(missing, PAGE_SIZE - 4)));
      missing -= PAGE_SIZE - 4;
      page = next.readUInt32BE(0);
    }
    return toValues(Buffer.concat(parts));
  }

  *#rowsOf(place: Omit<Locator, 'cell'>): Generator<{ locator: Locator; values: Values }, void, undefined> {
    const bytes = this.#read(place.inLog, place.offset);
    if (!bytes) return;
    const header = toHeader(place.page);
    if (bytes[header] !== TABLE_LEAF) return;
    const cells = bytes.readUInt16BE(header + 3);
    for (let cell = 0; cell < cells && header + 10 + cell * 2 <= PAGE_SIZE; cell++) {
      const locator = { ...place, cell };
      const found = toCell(bytes, locator);
      const values = found && toValues(found.local);
      if (values) yield { locator, values };
    }
  }

  #readPage(page: number, preferLog: boolean): Buffer | undefined {
    const offset = this.#frames.get(page);
    if (preferLog && offset !== undefined) return this.#read(true, offset);
    return page <= this.#pages ? this.#read(false, (page - 1) * PAGE_SIZE) : undefined;
  }

  /** A page, filled with zeros where the file ends within it. */
  #read(inLog: boolean, offset: number): Buffer | undefined {
    const descriptor = inLog ? this.#log : this.#database;
    if (descriptor === undefined) return undefined;
    const bytes = Buffer.alloc(PAGE_SIZE);
    return readSync(descriptor, bytes, 0, PAGE_SIZE, offset) > 0 ? bytes : undefined;
  }

  /** Finds the frames of committed transactions: those that carry the log's salts, up to the last commit. */
  #readFrames(size: number): void {
    const header = Buffer.alloc(FRAME_HEADER);
    let salts: bigint | undefined;
    let open: [page: number, offset: number][] = [];
    for (let at = LOG_HEADER; at + FRAME_HEADER + PAGE_SIZE <= size; at += FRAME_HEADER + PAGE_SIZE) {
      readSync(this.#log!, header, 0, FRAME_HEADER, at);
      salts ??= header.readBigUInt64BE(8);
      // Frames of an earlier log follow. Their pages are in the database.
      if (header.readBigUInt64BE(8) !== salts) break;
      open.push([header.readUInt32BE(0), at + FRAME_HEADER]);
      if (header.readUInt32BE(4) === 0) continue;
      for (const [page, offset] of open) this.#frames.set(page, offset);
      open = [];
    }
  }
}

/** The first page begins with the header of the file. */
function toHeader(page: number): number {
  return page === 1 ? 100 : 0;
}

function toCell(bytes: Buffer, at: Locator): { size: number; local: Buffer; overflow: number } | undefined {
  const pointer = toHeader(at.page) + 8 + at.cell * 2;
  if (pointer + 2 > PAGE_SIZE) return undefined;
  const size = toVarint(bytes, bytes.readUInt16BE(pointer));
  const rowid = size && toVarint(bytes, size.next);
  if (!rowid) return undefined;
  const local = toLocalSize(size.value);
  const end = rowid.next + local;
  const overflows = local < size.value;
  if (end + (overflows ? 4 : 0) > PAGE_SIZE) return undefined;
  const overflow = overflows ? bytes.readUInt32BE(end) : 0;
  return { size: size.value, local: bytes.subarray(rowid.next, end), overflow };
}

/** Bytes of a payload on the leaf page itself. */
function toLocalSize(size: number): number {
  if (size <= MAX_LOCAL) return size;
  const rest = MIN_LOCAL + ((size - MIN_LOCAL) % (PAGE_SIZE - 4));
  return rest <= MAX_LOCAL ? rest : MIN_LOCAL;
}

/** Decodes a record; undefined for invalid bytes. */
function toValues(bytes: Buffer): Values | undefined {
  const header = toVarint(bytes, 0);
  if (!header || header.value > bytes.length) return undefined;
  const values: Values = [];
  let at = header.value;
  for (let next = header.next; next < header.value;) {
    const type = toVarint(bytes, next);
    if (!type) return undefined;
    next = type.next;
    const length = toLength(type.value);
    values.push(at + length <= bytes.length ? toValue(bytes.subarray(at, at + length), type.value) : undefined);
    at += length;
  }
  return values;
}

function toLength(type: number): number {
  if (type >= 12) return (type - (type % 2 === 0 ? 12 : 13)) / 2;
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type] ?? 0;
}

function toValue(bytes: Buffer, type: number): string | number | null | undefined {
  if (type === 0) return null;
  if (type <= 5) return bytes.readIntBE(0, bytes.length);
  if (type === 6) return Number(bytes.readBigInt64BE(0));
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 8 || type === 9) return type - 8;
  return type % 2 === 1 ? bytes.toString('utf8') : undefined;
}

/** A variable-length integer of one to nine bytes: seven bits each, eight in the ninth. */
function toVarint(bytes: Buffer, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = 0; index < 9; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return undefined;
    if (index === 8) return { value: value * 256 + byte, next: at + 9 };
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next: at + index + 1 };
  }
  return undefined;
}
