import { createHash } from 'node:crypto';

/** Bytes of a chunk: at least, usually about, and at most. */
const MIN_BYTES = 256 * 1024;
export const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
/** A boundary is where these bits of the rolling hash are 0: once in a megabyte. */
const MASK = 0xfffff000 | 0;
/** Pseudo-random numbers by byte. They must never change: the same content has to have the same chunks. */
const GEAR = Uint32Array.from({ length: 256 }, (_, byte) =>
  createHash('sha256').update(Uint8Array.of(byte)).digest().readUInt32LE(),
);

/**
 * The length of the first chunk of some bytes. It depends on the content alone, so a file in which bytes were inserted has
 * new chunks only around them.
 *
 * @param bytes All bytes that are left, or more than `MAX_CHUNK_BYTES` of them.
 * @source FastCDC: a rolling hash of the last 32 bytes, which skips the minimum length.
 */
export function findCut(bytes: Uint8Array): number {
  const end = Math.min(bytes.length, MAX_CHUNK_BYTES);
  let hash = 0;
  for (let at = MIN_BYTES; at < end; at++) {
    hash = ((hash << 1) + GEAR[bytes[at]!]!) >>> 0;
    if ((hash & MASK) === 0) return at + 1;
  }
  return end;
}
