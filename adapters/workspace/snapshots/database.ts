import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { KlausError } from '@klaus/core/protocol';
import { makeFolder } from '../make-folder.ts';

const FORMAT = 1;
const BUSY_TIMEOUT_MS = 10_000;

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

/** The database of one workspace's snapshots. */
export class Database {
  readonly folder: string;
  readonly #connection: DatabaseSync;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #statements = new Map<string, StatementSync>();

  /** @param folder Created if it is missing, for the user only. */
  constructor(folder: string) {
    this.folder = folder;
    const file = join(folder, 'snapshots.db');
    this.#connection = guarded(folder, () => {
      makeFolder(join(folder, 'packs'));
      if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
      return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    });
    try {
      // Large pages, because rows of a kilobyte are common and are read in order.
      this.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      this.exec('PRAGMA journal_size_limit = 67108864; PRAGMA mmap_size = 268435456; PRAGMA cache_size = -16384');
      this.transaction(() => {
        const version = this.get<{ user_version: number }>('PRAGMA user_version')!.user_version;
        if (version === 0) this.exec(SCHEMA);
        else if (version > FORMAT)
          throw new KlausError('store.corrupt', `${file} was written by a newer version of Klaus.`, {
            hint: 'Update Klaus.',
          });
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return guarded(this.folder, () => this.#prepare(sql).get(...values) as Row | undefined);
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return guarded(this.folder, () => this.#prepare(sql).all(...values) as Row[]);
  }

  /** Returns the id of the inserted row, if any. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return guarded(this.folder, () => Number(this.#prepare(sql).run(...values).lastInsertRowid));
  }

  exec(sql: string): void {
    guarded(this.folder, () => this.#connection.exec(sql));
  }

  /** Runs `work` in a transaction, which is durable when this returns. */
  transaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const value = work();
      this.exec('COMMIT');
      return value;
    } catch (error) {
      if (this.#connection.isTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  /** Runs `work` after all earlier calls, for operations that must not interleave on this connection. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#connection.prepare(sql)));
    return statement;
  }
}

/** Result codes of SQLite. Source: https://sqlite.org/rescode.html */
const BUSY: ReadonlySet<number> = new Set([5, 6]);
const NO_ROOM: ReadonlySet<number> = new Set([8, 10, 13, 14]);
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);
const NO_ROOM_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG', 'EIO']);

/** Converts errors of the database and the filesystem to KlausErrors; returns other errors unchanged. */
export function toSnapshotError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : -1;
  if (BUSY.has(code)) {
    return new KlausError('store.busy', `Another process is writing to ${folder} and did not finish in time.`, {
      hint: 'Try again in a moment.',
      retryable: true,
      cause: error,
    });
  }
  if (NO_ROOM.has(code) || (typeof error.code === 'string' && NO_ROOM_CODES.has(error.code))) {
    return new KlausError('store.full', `Nothing more can be written to ${folder}: ${error.message}.`, {
      hint: 'Free some space or make the disk writable; what was stored before is intact.',
      cause: error,
    });
  }
  return DAMAGED.has(code) ? corrupt(folder, error.message, error) : error;
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
