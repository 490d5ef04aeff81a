import { createHash } from 'node:crypto';
import { BLOB_AT, FLAGS_AT, HASH_BYTES, MODE_AT, type PlainIndex, type Span } from './plain-index.ts';

const SLASH = 0x2f;
const NEWLINE = 0x0a;
const FIRST_CAPACITY = 4_096;

/**
 * True if the cache of tree objects of an index names other trees than those of its entries. The next commit takes the
 * trees of the cache, so that it would contain what no command shows.
 *
 * @source https://git-scm.com/docs/index-format
 */
export function hasForgedTrees(index: PlainIndex): boolean {
  const { extensions } = index;
  for (let at = 0; at + 8 <= extensions.length;) {
    const size = extensions.readUInt32BE(at + 4);
    const data = extensions.subarray(at + 8, at + 8 + size);
    if (extensions.toString('latin1', at, at + 4) === 'TREE' && !isTrue(index, data)) return true;
    at += 8 + size;
  }
  return false;
}

interface Tree {
  id: Buffer;
  /** Number of entries of the index below it. */
  count: number;
}

function isTrue(index: PlainIndex, data: Buffer): boolean {
  const { trees } = new TreeHasher(index);
  let at = 0;
  /** Reads a node and those below it. False: it is not as the entries say. */
  const read = (parent: string, isRoot: boolean): boolean => {
    const nameEnd = data.indexOf(0, at);
    const lineEnd = data.indexOf(NEWLINE, nameEnd);
    if (nameEnd < 0 || lineEnd < 0) return false;
    const name = data.toString('latin1', at, nameEnd);
    const [count = NaN, below = NaN] = data
      .toString('latin1', nameEnd + 1, lineEnd)
      .split(' ')
      .map(Number);
    if (!Number.isInteger(count) || !Number.isInteger(below) || below < 0) return false;
    const prefix = isRoot ? '' : `${parent}${name}/`;
    at = lineEnd + 1;
    if (count >= 0) {
      const tree = trees.get(prefix);
      const id = data.subarray(at, at + HASH_BYTES);
      if (!tree || tree.count !== count || !tree.id.equals(id)) return false;
      at += HASH_BYTES;
    }
    for (let each = 0; each < below; each++) if (!read(prefix, false)) return false;
    return true;
  };
  return read('', true) && at === data.length;
}

/** Computes the trees of all entries, by prefix. It copies bytes only, because an index can have many entries. */
class TreeHasher {
  readonly trees = new Map<string, Tree>();
  readonly #index: PlainIndex;
  /** One object that is being written for each depth. */
  readonly #bodies: TreeBody[] = [];

  constructor(index: PlainIndex) {
    this.#index = index;
    this.#hash(0, { prefix: '', depth: 0 });
  }

  /** Hashes the folder whose first entry is at `from`. Returns the first entry behind it. */
  #hash(from: number, { prefix, depth }: { prefix: string; depth: number }): number {
    const { data, spans } = this.#index;
    const first = spans[from];
    const body = (this.#bodies[depth] ??= new TreeBody());
    body.length = 0;
    let isMerged = true;
    let at = from;
    for (let span = first; span && this.#isBelow(span, first!, prefix.length); span = spans[at]) {
      const nameAt = span.nameAt + prefix.length;
      const slash = this.#indexOfSlash(nameAt, span.nameEnd);
      if (slash < 0) {
        if (((data[span.start + FLAGS_AT]! >>> 4) & 3) !== 0) isMerged = false;
        body.writeText(`${data.readUInt32BE(span.start + MODE_AT).toString(8)} `);
        body.writeBytes(data, nameAt, span.nameEnd);
        body.writeText('\0');
        body.writeBytes(data, span.start + BLOB_AT, span.start + BLOB_AT + HASH_BYTES);
        at++;
        continue;
      }
      const inner = `${prefix}${data.toString('latin1', nameAt, slash)}/`;
      at = this.#hash(at, { prefix: inner, depth: depth + 1 });
      const tree = this.trees.get(inner);
      if (!tree) {
        isMerged = false;
        continue;
      }
      body.writeText('40000 ');
      body.writeBytes(data, nameAt, slash);
      body.writeText('\0');
      body.writeBytes(tree.id, 0, HASH_BYTES);
    }
    // Entries with a conflict are in no tree.
    if (isMerged) this.trees.set(prefix, { id: body.toId(), count: at - from });
    return at;
  }

  /** True if the name begins with the first bytes of another one. Bytes that differ are mostly the last ones. */
  #isBelow({ nameAt, nameEnd }: Span, first: Span, length: number): boolean {
    const { data } = this.#index;
    if (nameEnd - nameAt < length) return false;
    for (let i = length - 1; i >= 0; i--) if (data[nameAt + i] !== data[first.nameAt + i]) return false;
    return true;
  }

  #indexOfSlash(from: number, end: number): number {
    const { data } = this.#index;
    for (let at = from; at < end; at++) if (data[at] === SLASH) return at;
    return -1;
  }
}

/** The content of a tree object. */
class TreeBody {
  length = 0;
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);

  writeText(text: string): void {
    this.#reserve(text.length);
    this.length += this.#bytes.write(text, this.length, 'latin1');
  }

  writeBytes(source: Buffer, from: number, end: number): void {
    this.#reserve(end - from);
    this.length += source.copy(this.#bytes, this.length, from, end);
  }

  toId(): Buffer {
    const body = this.#bytes.subarray(0, this.length);
    return createHash('sha1').update(`tree ${body.length}\0`).update(body).digest();
  }

  #reserve(size: number): void {
    if (this.length + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.length + size));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
