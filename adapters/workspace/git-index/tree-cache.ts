import { hash } from 'node:crypto';
import { BLOB_AT, FLAGS_AT, HASH_BYTES, MODE_AT, type PlainIndex, toNameAt } from './plain-index.ts';

const FOLDER = '40000 ';
const SLASH = 0x2f;
const NEWLINE = 0x0a;
const FIRST_CAPACITY = 4_096;
/** Bytes in front of a content for its header. */
const HEADER = 32;

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
  /** A character for each byte. */
  id: string;
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
      const id = data.toString('latin1', at, at + HASH_BYTES);
      if (tree?.count !== count || tree.id !== id) return false;
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
  /** The modes of entries as trees have them. */
  readonly #modes = new Map<number, string>();

  constructor(index: PlainIndex) {
    this.#index = index;
    this.#hash(0, { prefix: '', depth: 0 });
  }

  /** Hashes the folder whose first entry is at `from`. Returns the first entry behind it. */
  #hash(from: number, { prefix, depth }: { prefix: string; depth: number }): number {
    const { data, count, starts, nameEnds } = this.#index;
    const body = (this.#bodies[depth] ??= new TreeBody());
    body.clear();
    let isMerged = true;
    let at = from;
    while (at < count && this.#isBelow(at, from, prefix.length)) {
      const start = starts[at]!;
      const nameAt = toNameAt(data, start) + prefix.length;
      const nameEnd = nameEnds[at]!;
      const slash = this.#indexOfSlash(nameAt, nameEnd);
      if (slash < 0) {
        if (((data[start + FLAGS_AT]! >>> 4) & 3) !== 0) isMerged = false;
        body.addName(this.#toMode(start), data, { from: nameAt, end: nameEnd });
        body.addBytes(data, start + BLOB_AT, start + BLOB_AT + HASH_BYTES);
        at++;
        continue;
      }
      const inner = `${prefix}${data.toString('latin1', nameAt, slash)}/`;
      at = this.#hash(at, { prefix: inner, depth: depth + 1 });
      const tree = this.trees.get(inner);
      if (tree) {
        body.addName(FOLDER, data, { from: nameAt, end: slash });
        body.addText(tree.id);
      } else isMerged = false;
    }
    // Entries with a conflict are in no tree.
    if (isMerged) this.trees.set(prefix, { id: body.toId(), count: at - from });
    return at;
  }

  #toMode(start: number): string {
    const mode = this.#index.data.readUInt32BE(start + MODE_AT);
    let text = this.#modes.get(mode);
    if (!text) this.#modes.set(mode, (text = `${mode.toString(8)} `));
    return text;
  }

  /** True if the name begins with the first bytes of another one. Bytes that differ are mostly the last ones. */
  #isBelow(at: number, first: number, length: number): boolean {
    const { data, starts, nameEnds } = this.#index;
    const [nameAt, other] = [toNameAt(data, starts[at]!), toNameAt(data, starts[first]!)];
    if (nameEnds[at]! - nameAt < length) return false;
    for (let i = length - 1; i >= 0; i--) if (data[nameAt + i] !== data[other + i]) return false;
    return true;
  }

  #indexOfSlash(from: number, end: number): number {
    const { data } = this.#index;
    for (let at = from; at < end; at++) if (data[at] === SLASH) return at;
    return -1;
  }
}

/** The content of a tree object. Its parts are short: loops are faster than copies by functions of the runtime. */
class TreeBody {
  #end = HEADER;
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);

  clear(): void {
    this.#end = HEADER;
  }

  addName(mode: string, source: Uint8Array, { from, end }: { from: number; end: number }): void {
    this.addText(mode);
    this.addBytes(source, from, end);
    this.addText('\0');
  }

  addText(text: string): void {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    for (let i = 0; i < text.length; i++) bytes[this.#end + i] = text.charCodeAt(i);
    this.#end += text.length;
  }

  addBytes(source: Uint8Array, from: number, end: number): void {
    this.#reserve(end - from);
    const bytes = this.#bytes;
    for (let i = 0; i < end - from; i++) bytes[this.#end + i] = source[from + i]!;
    this.#end += end - from;
  }

  /** A character for each byte: a text is made faster than a buffer. */
  toId(): string {
    const header = `tree ${this.#end - HEADER}\0`;
    const start = HEADER - header.length;
    this.#bytes.write(header, start, 'latin1');
    return hash('sha1', this.#bytes.subarray(start, this.#end), 'binary');
  }

  #reserve(size: number): void {
    if (this.#end + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#end + size));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
