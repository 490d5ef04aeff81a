import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder, syncFolder } from '@klaus/adapters/system';
import type { BlobWriter } from '@klaus/core/agent';
import { corrupt, guarded, toStoreError } from '../store-error.ts';

const HASH = /^[0-9a-f]{64}$/;
const DRAFT = 'draft-';

export interface BlobFile {
  hash: string;
  path: string;
  /** Bytes. */
  size: number;
  /** Unix milliseconds. */
  writtenAt: number;
}

/** Files named by the SHA-256 of their bytes, in folders named by its first two characters. */
export class Blobs {
  readonly folder: string;

  constructor(home: string) {
    this.folder = join(home, 'blobs');
  }

  /**
   * Writes each chunk into a draft file. `finish` throws the first error of a write, so that a stream can be piped into
   * the writer without error handling.
   */
  writer(): BlobWriter {
    const folder = this.folder;
    const path = join(folder, `${DRAFT}${randomUUID()}`);
    const hash = createHash('sha256');
    let size = 0;
    let failure: Error | undefined;
    let descriptor: number | undefined = guarded(folder, () => {
      makeFolder(folder);
      return openSync(path, 'wx', 0o600);
    });
    const discard = () => {
      if (descriptor === undefined) return;
      closeSync(descriptor);
      descriptor = undefined;
      rmSync(path, { force: true });
    };
    return {
      write(chunk) {
        if (descriptor === undefined || failure !== undefined) return;
        try {
          writeAll(descriptor, chunk);
          hash.update(chunk);
          size += chunk.length;
        } catch (error) {
          failure = toStoreError(error, folder) as Error;
        }
      },
      async finish() {
        try {
          if (failure !== undefined) throw failure;
          if (descriptor === undefined) throw new Error('The blob was aborted or finished.');
          await sync(descriptor);
          const name = hash.digest('hex');
          moveDraft(folder, path, name);
          closeSync(descriptor);
          descriptor = undefined;
          return { hash: name, size };
        } catch (error) {
          discard();
          throw toStoreError(error, folder);
        }
      },
      abort: discard,
    };
  }

  /** @throws KlausError `store.corrupt` when the bytes do not match the hash. */
  read(hash: string): Uint8Array | undefined {
    if (!HASH.test(hash)) return undefined;
    const path = toPath(this.folder, hash);
    let bytes: Uint8Array;
    try {
      bytes = readPlainFile(path);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT') return undefined;
      if (code === 'ELOOP' || code === 'EINVAL') throw corrupt(path, 'it is no regular file');
      throw toStoreError(error, path);
    }
    if (createHash('sha256').update(bytes).digest('hex') !== hash) throw corrupt(path, 'its bytes have changed');
    return bytes;
  }

  /** All blobs, and all drafts that killed processes left (their hash is ''). */
  list(): BlobFile[] {
    return listFolder(this.folder).flatMap((entry) => {
      if (entry.startsWith(DRAFT)) return toBlobFile(join(this.folder, entry), '');
      const sub = join(this.folder, entry);
      return listFolder(sub).flatMap((name) => (HASH.test(name) ? toBlobFile(join(sub, name), name) : []));
    });
  }
}

const sync = promisify(fsync);

function writeAll(descriptor: number, chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length;) at += writeSync(descriptor, chunk, at);
}

/** Renames a synced draft to its hash. Replaces an existing blob, which has the same bytes. */
function moveDraft(folder: string, path: string, hash: string): void {
  const target = toPath(folder, hash);
  makeFolder(dirname(target));
  renameSync(path, target);
  syncFolder(dirname(target));
}

/** Reads a file that is no link, and never waits for a pipe. @throws Error `ELOOP` and `EINVAL` for anything else. */
function readPlainFile(path: string): Uint8Array {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile())
      throw Object.assign(new Error(`${path} is no regular file`), { code: 'EINVAL' });
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function toPath(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2), hash);
}

function toBlobFile(path: string, hash: string): BlobFile[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat ? [{ hash, path, size: stat.size, writtenAt: stat.mtimeMs }] : [];
}

function listFolder(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}
