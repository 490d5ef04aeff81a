import { KlausError, type TreeChange, type TreeEntry, type TreeId } from '@klaus/core/protocol';
import { corrupt, type Database } from './database.ts';
import { joinNames } from '../path-entry.ts';
import type { Yielder } from '../yielder.ts';
import { compareNames, decodeTree, EMPTY, toTreeEntry, type Node } from './tree.ts';

/** An entry with its path relative to the searched directory. */
interface Found {
  path: string;
  node: Node;
}

/** Directories whose symlinks are cached in memory. */
const MAX_KNOWN = 200_000;
const NONE: readonly Found[] = [];

/** The directory objects of a store. */
export class Trees {
  readonly #db: Database;
  readonly #links = new Map<string, readonly Found[]>();

  constructor(db: Database) {
    this.#db = db;
  }

  has(hash: Buffer): boolean {
    return hash.equals(EMPTY) || this.#db.get('SELECT 1 FROM trees WHERE hash = ?', hash) !== undefined;
  }

  /** @throws KlausError `store.corrupt` when it is missing. */
  nodes(hash: Buffer): Node[] {
    if (hash.equals(EMPTY)) return [];
    const row = this.#db.get<{ data: Uint8Array }>('SELECT data FROM trees WHERE hash = ?', hash);
    if (!row) throw corrupt(this.#db.folder, `the directory object ${hash.toString('hex')} is missing`);
    return decodeTree(Buffer.from(row.data.buffer, row.data.byteOffset, row.data.length));
  }

  /** Undefined when the path does not exist, and for the root, which is not an entry. */
  find(root: Buffer, path: string): Node | undefined {
    let node: Node | undefined;
    for (const name of path.split('/')) {
      if (node && node.type !== 'directory') return undefined;
      node = this.nodes(node?.hash ?? root).find((it) => it.name === name);
      if (!node) return undefined;
    }
    return node;
  }

  /** Every entry below a directory, with its path. */
  *walk(hash: Buffer, path: string): Generator<{ path: string; node: Node }> {
    for (const node of this.nodes(hash)) {
      const own = joinNames(path, node.name);
      yield { path: own, node };
      if (node.type === 'directory') yield* this.walk(node.hash, own);
    }
  }

  /** Symlinks in a directory at any depth. Results are cached by directory object. */
  async links(hash: Buffer, yielder: Yielder): Promise<readonly Found[]> {
    const key = hash.toString('latin1');
    const known = this.#links.get(key);
    if (known) return known;
    if (yielder.due) await yielder.yield();
    const found: Found[] = [];
    for (const node of this.nodes(hash)) {
      if (node.type === 'symlink') found.push({ path: node.name, node });
      if (node.type !== 'directory') continue;
      for (const link of await this.links(node.hash, yielder))
        found.push({ path: `${node.name}/${link.path}`, node: link.node });
    }
    if (this.#links.size > MAX_KNOWN) this.#links.clear();
    const result = found.length === 0 ? NONE : found;
    this.#links.set(key, result);
    return result;
  }

  /** The differences between two states, sorted by path. The content of a new or deleted directory has separate rows. */
  async changes(from: Buffer, to: Buffer, yielder: Yielder): Promise<TreeChange[]> {
    const rows: TreeChange[] = [];
    await this.#compare({ from, to, path: '' }, rows, yielder);
    return rows.toSorted((a, b) => compareNames(a.path, b.path));
  }

  async #compare(
    pair: { from: Buffer; to: Buffer; path: string },
    rows: TreeChange[],
    yielder: Yielder,
  ): Promise<void> {
    if (pair.from.equals(pair.to)) return;
    if (yielder.due) await yielder.yield();
    const before = new Map(this.nodes(pair.from).map((node) => [node.name, node]));
    const after = new Map(this.nodes(pair.to).map((node) => [node.name, node]));
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const path = joinNames(pair.path, name);
      const old = before.get(name);
      const now = after.get(name);
      const entry = old ? toTreeEntry(old) : null;
      const next = now ? toTreeEntry(now) : null;
      const kind = entry ? (next ? 'modified' : 'deleted') : 'created';
      if (!isSameEntry(entry, next)) rows.push({ path, kind, before: entry, after: next });
      await this.#compare({ from: toSubtree(old), to: toSubtree(now), path }, rows, yielder);
    }
  }
}

function toSubtree(node: Node | undefined): Buffer {
  return node?.type === 'directory' ? node.hash : EMPTY;
}

export function isSameEntry(a: TreeEntry | null, b: TreeEntry | null): boolean {
  if (!a || !b) return a === b;
  return a.type === b.type && a.mode === b.mode && (a.type === 'directory' || a.hash === b.hash);
}

/** @throws KlausError `usage` for a state that is malformed or not stored any more. */
export function toTreeHash(trees: Trees, id: TreeId): Buffer {
  const hash = Buffer.from(id, 'hex');
  if (hash.length === 32 && hash.toString('hex') === id && trees.has(hash)) return hash;
  throw new KlausError('usage', `The state ${id.slice(0, 12)} of the workspace is not stored any more.`);
}
