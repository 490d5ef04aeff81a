import { hash } from 'node:crypto';
import { KlausError, type TreeEntry } from '@klaus/core/protocol';

/** One name in a directory object. */
export interface Node {
  name: string;
  type: TreeEntry['type'];
  /** Permission bits; 0 for a symlink. */
  mode: number;
  /** Bytes; 0 for a directory. */
  size: number;
  /** 32 bytes: SHA-256 of the content or of the target; for a directory, of its own object. */
  hash: Buffer;
}

const TYPES = ['file', 'symlink', 'directory'] as const;
/** Type 1, mode 2, size 6, hash 32, length of the name 2 bytes; the name follows. */
const HEAD = 43;
const NAME_LENGTH_AT = 41;

/** SHA-256 of no bytes: an empty file, and the object of an empty directory. */
export const EMPTY = sha256(Buffer.alloc(0));

export function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/** Encodes a directory object. `nodes` are sorted by the UTF-16 units of their names. */
export function encodeTree(nodes: readonly Node[]): Buffer {
  const lengths = nodes.map((node) => Buffer.byteLength(node.name));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + HEAD + length, 0));
  let at = 0;
  for (const [i, node] of nodes.entries()) {
    bytes[at] = TYPES.indexOf(node.type);
    bytes.writeUInt16BE(node.mode, at + 1);
    bytes.writeUIntBE(node.size, at + 3, 6);
    node.hash.copy(bytes, at + 9);
    bytes.writeUInt16BE(lengths[i]!, at + NAME_LENGTH_AT);
    bytes.write(node.name, at + HEAD);
    at += HEAD + lengths[i]!;
  }
  return bytes;
}

export function decodeTree(bytes: Buffer): Node[] {
  const nodes: Node[] = [];
  for (let at = 0; at < bytes.length;) {
    const node = nodeAt(bytes, at);
    nodes.push(node.node);
    at = node.next;
  }
  return nodes;
}

function nodeAt(bytes: Buffer, at: number): { node: Node; next: number } {
  const type = TYPES[bytes[at]!];
  const next = at + HEAD + bytes.readUInt16BE(at + NAME_LENGTH_AT);
  if (type === undefined || next > bytes.length)
    throw new KlausError('store.corrupt', 'A directory object is damaged.');
  const node: Node = {
    name: bytes.toString('utf8', at + HEAD, next),
    type,
    mode: bytes.readUInt16BE(at + 1),
    size: bytes.readUIntBE(at + 3, 6),
    hash: bytes.subarray(at + 9, at + NAME_LENGTH_AT),
  };
  return { node, next };
}

/** Iterates over a directory object without creating objects for its entries. */
export class TreeCursor {
  readonly #bytes: Buffer;
  #at = 0;
  #next = 0;
  /** Index of the entry in the directory; -1 before the first. */
  index = -1;
  name = '';

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** False after the last entry. */
  next(): boolean {
    this.index++;
    this.#at = this.#next;
    if (this.#at >= this.#bytes.length) return false;
    this.#next = this.#at + HEAD + this.#bytes.readUInt16BE(this.#at + NAME_LENGTH_AT);
    this.name = this.#bytes.toString('utf8', this.#at + HEAD, this.#next);
    return true;
  }

  hasTypeAndMode(type: Node['type'], mode: number): boolean {
    return TYPES[this.#bytes[this.#at]!] === type && this.#bytes.readUInt16BE(this.#at + 1) === mode;
  }

  get isDirectory(): boolean {
    return TYPES[this.#bytes[this.#at]!] === 'directory';
  }

  hasHash(wanted: Buffer): boolean {
    return wanted.compare(this.#bytes, this.#at + 9, this.#at + NAME_LENGTH_AT) === 0;
  }

  node(): Node {
    return nodeAt(this.#bytes, this.#at).node;
  }
}

/** Converts a node to an entry of the port. The entry of a directory does not depend on its content. */
export function toTreeEntry(node: Pick<Node, 'type' | 'mode' | 'size' | 'hash'>): TreeEntry {
  const { type, mode, size } = node;
  return { type, hash: (type === 'directory' ? EMPTY : node.hash).toString('hex'), size, mode };
}

/** The order of names in a directory object and of paths in a list of changes. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
