import { createHash } from 'node:crypto';

/** Bytes of an object name. */
const HASH_BYTES = 20;
const SLASH = 0x2f;
const NEWLINE = 0x0a;

/** An entry of an index, in the order of the index. */
export interface CachedEntry {
  name: Buffer;
  /** As Git stores it, such as 0o100644. */
  mode: number;
  blob: Buffer;
  stage: number;
}

/**
 * True if the cache of tree objects of an index names other trees than those of its entries. The next commit takes the
 * trees of the cache, so that it would contain what no command shows.
 *
 * @param extensions The bytes of an index between its entries and its checksum.
 * @source https://git-scm.com/docs/index-format
 */
export function hasForgedTrees(entries: readonly CachedEntry[], extensions: Buffer): boolean {
  for (let at = 0; at + 8 <= extensions.length;) {
    const size = extensions.readUInt32BE(at + 4);
    const data = extensions.subarray(at + 8, at + 8 + size);
    if (extensions.toString('latin1', at, at + 4) === 'TREE' && !isTrue(entries, data)) return true;
    at += 8 + size;
  }
  return false;
}

interface Tree {
  id: Buffer;
  /** Number of entries of the index below it. */
  count: number;
}

function isTrue(entries: readonly CachedEntry[], data: Buffer): boolean {
  const trees = new Map<string, Tree>();
  hashTree(entries, { at: 0, prefix: '' }, trees);
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

/** Computes the trees of the entries below a prefix. Returns the first entry behind them. */
function hashTree(
  entries: readonly CachedEntry[],
  from: { at: number; prefix: string },
  trees: Map<string, Tree>,
): number {
  const { prefix } = from;
  const start = Buffer.from(prefix, 'latin1');
  const parts: Buffer[] = [];
  let isMerged = true;
  let { at } = from;
  while (at < entries.length) {
    const { name, mode, blob, stage } = entries[at]!;
    if (!name.subarray(0, start.length).equals(start)) break;
    const slash = name.indexOf(SLASH, start.length);
    if (slash < 0) {
      if (stage !== 0) isMerged = false;
      parts.push(Buffer.from(`${mode.toString(8)} `), name.subarray(start.length), Buffer.from([0]), blob);
      at++;
      continue;
    }
    const inner = name.toString('latin1', start.length, slash);
    at = hashTree(entries, { at, prefix: `${prefix}${inner}/` }, trees);
    const tree = trees.get(`${prefix}${inner}/`);
    if (tree) parts.push(Buffer.from(`40000 ${inner}\0`, 'latin1'), tree.id);
    else isMerged = false;
  }
  // Entries with a conflict are in no tree.
  if (isMerged) {
    const body = Buffer.concat(parts);
    const id = createHash('sha1').update(`tree ${body.length}\0`).update(body).digest();
    trees.set(prefix, { id, count: at - from.at });
  }
  return at;
}
