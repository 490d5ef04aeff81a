import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobWriter } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { GRACE_MS } from './grace.ts';
import type { ObjectStore } from './object-store.ts';
import { putKept, renewOld } from './put-kept.ts';

const HASH = /^[0-9a-f]{64}$/;
const PREFIX = 'blobs/';

export interface ObjectBlobsOptions {
  /** Folder for what is not uploaded yet. Default: that of the system for temporary files. */
  drafts?: string;
  /** Milliseconds for which the garbage collection spares an object that no event names. Default {@link GRACE_MS}. */
  graceMs?: number;
}

/** Bytes from which a blob is looked up before it is uploaded. */
const LARGE = 256 * 1_024;

/** Key of a blob. */
export function toBlobKey(hash: string): string {
  return `${PREFIX}${hash.slice(0, 2)}/${hash}`;
}

/** Blobs in an object store, named by the SHA-256 of their bytes. */
export class ObjectBlobs {
  readonly #objects: ObjectStore;
  readonly #drafts: string;
  readonly #graceMs: number;

  constructor(objects: ObjectStore, { drafts = tmpdir(), graceMs = GRACE_MS }: ObjectBlobsOptions = {}) {
    this.#objects = objects;
    this.#drafts = drafts;
    this.#graceMs = graceMs;
  }

  /**
   * Writes each chunk into a draft file of this machine; `finish` uploads it and resolves when the object is durable.
   * `finish` throws the first error of a write, so that a stream can be piped into the writer without error handling.
   */
  writer(): BlobWriter {
    const path = join(this.#drafts, `klaus-blob-${randomUUID()}`);
    const hash = createHash('sha256');
    let size = 0;
    let failure: Error | undefined;
    let descriptor: number | undefined = openSync(path, 'wx', 0o600);
    const discard = (): void => {
      if (descriptor === undefined) return;
      closeSync(descriptor);
      descriptor = undefined;
      rmSync(path, { force: true });
    };
    return {
      write(chunk) {
        if (descriptor === undefined || failure !== undefined) return;
        try {
          for (let at = 0; at < chunk.length;) at += writeSync(descriptor, chunk, at);
          hash.update(chunk);
          size += chunk.length;
        } catch (error) {
          failure = error as Error;
        }
      },
      finish: async () => {
        try {
          if (failure !== undefined) throw failure;
          if (descriptor === undefined) throw new Error('The blob was aborted or finished.');
          const name = hash.digest('hex');
          await this.#store(toBlobKey(name), { path, size });
          return { hash: name, size };
        } finally {
          discard();
        }
      },
      abort: discard,
    };
  }

  /** @throws KlausError `store.corrupt` when the bytes do not match the hash. */
  async read(hash: string): Promise<Uint8Array | undefined> {
    if (!HASH.test(hash)) return undefined;
    const bytes = await this.#objects.get(toBlobKey(hash));
    if (bytes && createHash('sha256').update(bytes).digest('hex') !== hash) {
      throw new KlausError('store.corrupt', `The bytes of the object ${toBlobKey(hash)} have changed.`, {
        hint: 'Restore the object from a backup of the bucket.',
      });
    }
    return bytes;
  }

  /** All blobs. Drafts of killed processes are temporary files of their machines. */
  async *list(): AsyncGenerator<{ hash: string; size: number; writtenAt: number; remove: () => Promise<void> }> {
    for await (const { key, size, writtenAt } of this.#objects.list(PREFIX)) {
      const hash = key.split('/').at(-1)!;
      if (HASH.test(hash)) yield { hash, size, writtenAt, remove: () => this.#objects.delete(key) };
    }
  }

  async #store(key: string, body: { path: string; size: number }): Promise<void> {
    const kept = { key, body, graceMs: this.#graceMs };
    // A request is less than the upload of a large blob that exists.
    if (body.size > LARGE && (await this.#objects.stat(key))) return await renewOld(this.#objects, kept, Date.now());
    await putKept(this.#objects, kept);
  }
}
