import type { TreeId } from '@klaus/core/protocol';
import type { SnapshotStore } from '../snapshot-store.ts';
import { readMetadata } from '../states.ts';
import { EMPTY, encodeTree, sha256, type Node } from '../tree.ts';
import { toTreeHash } from '../trees.ts';
import { encodePack, toSize, type Part } from './pack.ts';

/** Bytes of parts that are compressed together. */
const PACK_BYTES = 4 * 1024 * 1024;

/**
 * A state as packs, from which `unpackState` stores it on another machine. Each part comes after those that it refers
 * to. Content that is not stored, of files in folders of tools, is named as absent.
 *
 * @param options.since A state that the other side has: what both contain at the same path is left out.
 * @throws KlausError `usage` for a state that is not stored, `store.corrupt` for objects that cannot be read.
 */
export async function* packState(
  store: SnapshotStore,
  { tree, since }: { tree: TreeId; since?: TreeId },
): AsyncGenerator<Uint8Array> {
  const root = toTreeHash(store.trees, tree);
  const base = since === undefined ? EMPTY : toTreeHash(store.trees, since);
  let parts: Part[] = [];
  let size = 0;
  for await (const part of toParts(store, { root, base })) {
    parts.push(part);
    size += toSize(part);
    if (size < PACK_BYTES) continue;
    yield await encodePack(parts);
    parts = [];
    size = 0;
  }
  const metadata = Buffer.from(JSON.stringify(readMetadata(store.db, root)));
  yield await encodePack([...parts, { kind: 'state', hash: root, size: 0, bytes: metadata }]);
}

async function* toParts(store: SnapshotStore, { root, base }: { root: Buffer; base: Buffer }): AsyncGenerator<Part> {
  const sent = new Set<string>();
  const isNew = (hash: Buffer): boolean => {
    const key = hash.toString('latin1');
    if (hash.equals(EMPTY) || sent.has(key)) return false;
    sent.add(key);
    return true;
  };
  // The directory objects that are open, with the entries that follow.
  const open = [toOpen(store, { hash: root, base })];
  if (root.equals(base) || !isNew(root)) return;
  for (let directory = open.at(-1); directory; directory = open.at(-1)) {
    const node = directory.rest.pop();
    if (!node) {
      open.pop();
      yield { kind: 'directory', hash: directory.hash, size: 0, bytes: directory.bytes };
      continue;
    }
    const old = directory.old.get(node.name);
    // The other side has to know it also of an unchanged file, because it checks the directory.
    const isAbsent = node.type !== 'directory' && !store.objects.has(node.hash);
    if (!isAbsent && old?.hash.equals(node.hash) === true && old.type === node.type) continue;
    if (!isNew(node.hash)) continue;
    if (isAbsent) {
      yield { kind: 'absent', hash: node.hash, size: 0, bytes: Buffer.alloc(0) };
      continue;
    }
    if (node.type === 'directory') {
      open.push(toOpen(store, { hash: node.hash, base: old?.type === 'directory' ? old.hash : EMPTY }));
    } else yield* toContentParts(store, node.hash, isNew);
  }
}

interface Open {
  hash: Buffer;
  bytes: Buffer;
  /** Entries that follow, the last one first. */
  rest: Node[];
  /** Entries of the same directory in the base, by name. */
  old: ReadonlyMap<string, Node>;
}

function toOpen({ trees }: SnapshotStore, { hash, base }: { hash: Buffer; base: Buffer }): Open {
  const nodes = trees.nodes(hash);
  const old = new Map(trees.nodes(base).map((node) => [node.name, node]));
  return { hash, bytes: encodeTree(nodes), rest: nodes.toReversed(), old };
}

async function* toContentParts(
  { objects }: SnapshotStore,
  hash: Buffer,
  isNew: (hash: Buffer) => boolean,
): AsyncGenerator<Part> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const bytes of objects.pieces(hash)) {
    const own = sha256(bytes);
    size += bytes.length;
    chunks.push(own);
    if (own.equals(hash) || isNew(own)) yield { kind: 'piece', hash: own, size: 0, bytes };
  }
  if (chunks.length !== 1 || !chunks[0]!.equals(hash)) yield { kind: 'list', hash, size, bytes: Buffer.concat(chunks) };
}
