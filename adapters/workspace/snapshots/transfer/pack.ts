import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { KlausError } from '@klaus/core/protocol';

/** What a part of a pack is. The numbers are stored. */
export const KINDS = { piece: 1, list: 2, directory: 3, state: 4, absent: 5 } as const;
export type Kind = keyof typeof KINDS;

/**
 * One part of a pack: a content or a chunk of it, the hashes of the chunks of a content, a directory object, the metadata
 * of a state as JSON, or, without bytes, a content that is not stored.
 */
export interface Part {
  kind: Kind;
  /** Of the content, the directory object, or the tree of the state. */
  hash: Buffer;
  /** Bytes of the content of a `list`; 0 for the others. */
  size: number;
  bytes: Buffer;
}

/** Kind 1, hash 32, size 6, length 4 bytes; the bytes follow. */
const HEAD = 43;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
/** Bytes of a pack before its compression: parts of at most 4 MB, and one that is larger. */
const MAX_RAW_BYTES = 256 * 1024 * 1024;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export function toSize(part: Pick<Part, 'bytes'>): number {
  return HEAD + part.bytes.length;
}

export async function encodePack(parts: readonly Part[]): Promise<Buffer> {
  const raw = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + toSize(part), 0));
  let at = 0;
  for (const { kind, hash, size, bytes } of parts) {
    raw[at] = KINDS[kind];
    hash.copy(raw, at + 1);
    raw.writeUIntBE(size, at + 33, 6);
    raw.writeUInt32BE(bytes.length, at + 39);
    bytes.copy(raw, at + HEAD);
    at += HEAD + bytes.length;
  }
  return await compress(raw, LEVEL);
}

/** @throws KlausError `store.corrupt` for bytes that are no pack. */
export async function decodePack(pack: Uint8Array): Promise<Part[]> {
  let raw: Buffer;
  try {
    raw = await decompress(pack, { maxOutputLength: MAX_RAW_BYTES });
  } catch (error) {
    throw damaged('it cannot be decompressed', error);
  }
  const parts: Part[] = [];
  for (let at = 0; at < raw.length;) {
    const kind = (Object.keys(KINDS) as Kind[]).find((name) => KINDS[name] === raw[at]);
    if (kind === undefined || at + HEAD > raw.length) throw damaged('it has an unknown part');
    const end = at + HEAD + raw.readUInt32BE(at + 39);
    if (end > raw.length) throw damaged('it is too short');
    const hash = raw.subarray(at + 1, at + 33);
    parts.push({ kind, hash, size: raw.readUIntBE(at + 33, 6), bytes: raw.subarray(at + HEAD, end) });
    at = end;
  }
  return parts;
}

export function damaged(what: string, cause?: unknown): KlausError {
  return new KlausError('store.corrupt', `A pack of a stored workspace is damaged: ${what}.`, {
    hint: 'Use an earlier state of the workspace, or restore the object store from a backup.',
    cause,
  });
}
