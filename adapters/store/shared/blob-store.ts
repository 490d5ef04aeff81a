import { rm } from 'node:fs/promises';
import type { BlobWriter } from '@klaus/core/agent';
import { Blobs } from '../sqlite/log/blobs.ts';

export interface BlobEntry {
  /** SHA-256 of its bytes; '' for one that was not finished. */
  hash: string;
  /** Bytes. */
  size: number;
  /** Unix milliseconds. */
  writtenAt: number;
  /** Deletes it. Idempotent. */
  remove(): Promise<void>;
}

/** Where a store keeps its blobs, each named by the SHA-256 of its bytes. */
export interface BlobStore {
  writer(): BlobWriter;
  /** Undefined when no such blob exists. @throws KlausError `store.corrupt` when the bytes do not match the hash. */
  read(hash: string): Promise<Uint8Array | undefined>;
  /** All blobs, and those that killed processes did not finish. */
  list(): AsyncIterable<BlobEntry>;
}

/** Blobs as files below a folder that all processes share. @param home Absolute path; the files are in `blobs` below it. */
export function createFolderBlobStore(home: string): BlobStore {
  const blobs = new Blobs(home);
  return {
    writer: () => blobs.writer(),
    read: async (hash) => blobs.read(hash),
    async *list() {
      for (const { path, hash, size, writtenAt } of blobs.list()) {
        yield { hash, size, writtenAt, remove: () => rm(path, { force: true }) };
      }
    },
  };
}
