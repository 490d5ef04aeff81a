import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Connection, isSpaceMissing, makeFolder, NotAFileError, toStorageFailure } from '@klaus/adapters/system';
import { isKlausError, KlausError } from '@klaus/core/protocol';

/** Each object that a tree names is stored. */
const FORMAT = 1;
/** Objects may be missing: those of files in the folders of tools. A version that cannot leave them out refuses it. */
const INCOMPLETE_FORMAT = 2;
const BUSY_TIMEOUT_MS = 10_000;
/** Databases of this process whose files are open, three for each. A server uses those of all its workspaces. */
const MAX_OPEN = 16;

/**
 * - objects: contents by hash. `block` refers to the bytes; a large content has `chunks` instead, the concatenated hashes
 *   of its chunks
 * - blocks: several contents compressed together, in `data` or in a file `pack`; not compressed when stored = raw
 * - trees: directory objects
 * - seen: the result of the last scan of each directory, see `encodeDirectory`
 * - states: metadata of snapshots
 * - steps: running restores
 */
const SCHEMA = `
  CREATE TABLE objects (hash BLOB PRIMARY KEY, size INTEGER NOT NULL, block INTEGER, at INTEGER, chunks BLOB,
    made INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX objects_block ON objects (block);
  CREATE TABLE blocks (id INTEGER PRIMARY KEY AUTOINCREMENT, pack TEXT, at INTEGER NOT NULL, stored INTEGER NOT NULL,
    raw INTEGER NOT NULL, data BLOB);
  CREATE TABLE trees (hash BLOB PRIMARY KEY, data BLOB NOT NULL, made INTEGER NOT NULL);
  CREATE TABLE seen (path TEXT PRIMARY KEY, tree BLOB NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE states (tree BLOB PRIMARY KEY, at INTEGER NOT NULL, git TEXT NOT NULL, uncovered TEXT NOT NULL)
    WITHOUT ROWID;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE steps (id INTEGER PRIMARY KEY, plan TEXT NOT NULL);
  PRAGMA user_version = ${FORMAT};
`;

/** Those whose files are open, the one that was used last at the end. */
const used = new Set<Database>();

/** The database of one workspace's snapshots. Its files are closed while more than {@link MAX_OPEN} others are in use. */
export class Database extends Connection {
  readonly folder: string;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param folder Created if it is missing, for the user only. */
  constructor(folder: string) {
    const file = join(folder, 'snapshots.db');
    guarded(folder, () => {
      makeFolder(join(folder, 'packs'));
      if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    });
    super(file, { timeout: BUSY_TIMEOUT_MS, toError: (error) => toSnapshotError(error, folder) });
    this.folder = folder;
    try {
      // Large pages, because rows of a kilobyte are common and are read in order.
      this.exec('PRAGMA page_size = 16384');
      this.onReopen();
      this.transaction(() => {
        const version = this.get<{ user_version: number }>('PRAGMA user_version')!.user_version;
        if (version === 0) this.exec(SCHEMA);
        else if (version > INCOMPLETE_FORMAT)
          throw new KlausError('store.corrupt', `${file} was written by a newer version of Klaus.`, {
            hint: 'Update Klaus.',
          });
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** True if a state may lack content. */
  get isIncomplete(): boolean {
    return this.get<{ user_version: number }>('PRAGMA user_version')!.user_version === INCOMPLETE_FORMAT;
  }

  markIncomplete(): void {
    if (!this.isIncomplete) this.exec(`PRAGMA user_version = ${INCOMPLETE_FORMAT}`);
  }

  override close(): void {
    super.close();
    used.delete(this);
  }

  protected override onReopen(): void {
    this.#enableWal();
    this.exec('PRAGMA synchronous = FULL');
    this.exec('PRAGMA journal_size_limit = 67108864; PRAGMA mmap_size = 268435456; PRAGMA cache_size = -16384');
  }

  protected override onUse(): void {
    used.delete(this);
    used.add(this);
    if (used.size <= MAX_OPEN) return;
    for (const one of used) {
      if (one === this || one.inTransaction) continue;
      used.delete(one);
      return one.suspend();
    }
  }

  /** SQLite does not wait when two processes enable the write-ahead log of a new database at once. */
  #enableWal(): void {
    const end = performance.now() + BUSY_TIMEOUT_MS;
    for (;;) {
      try {
        this.exec('PRAGMA journal_mode = WAL');
        return;
      } catch (error) {
        if (!isKlausError(error) || error.code !== 'store.busy' || performance.now() > end) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  }

  /** Runs `work` after all earlier calls, for operations that must not interleave on this connection. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** Converts errors of the database and the filesystem to KlausErrors; returns other errors unchanged. */
export function toSnapshotError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof NotAFileError) {
    return new KlausError('config', error.message, { hint: 'Move it to another place.', cause: error });
  }
  const failure = toStorageFailure(error);
  if (failure === 'busy') {
    return new KlausError('store.busy', `Another process is writing to ${folder} and did not finish in time.`, {
      hint: 'Try again in a moment.',
      retryable: true,
      cause: error,
    });
  }
  if (failure === 'full') {
    const hint = isSpaceMissing(error, join(folder, 'snapshots.db'))
      ? 'Free some space or make the disk writable; what was stored before is intact.'
      : 'Make the disk and the folder writable, and check the disk for errors; what was stored before is intact.';
    return new KlausError('store.full', `Nothing more can be written to ${folder}: ${error.message}.`, {
      hint,
      cause: error,
    });
  }
  return failure === 'damaged' ? corrupt(folder, error.message, error) : error;
}

export function corrupt(folder: string, what: string, cause?: unknown): KlausError {
  return new KlausError('store.corrupt', `The snapshots in ${folder} are damaged: ${what}.`, {
    hint: 'Move that folder to another location. New snapshots are then created; the workspace is not affected.',
    cause,
  });
}

/** Runs `work` and converts its errors, see {@link toSnapshotError}. */
export function guarded<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toSnapshotError(error, folder);
  }
}
