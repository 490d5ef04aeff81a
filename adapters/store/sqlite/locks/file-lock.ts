import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkDatabaseFile } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';
import { BUSY_TIMEOUT_MS } from '../database.ts';
import { guarded, toStoreError } from '../store-error.ts';
import { probeLock } from './probe-lock.ts';

/** Milliseconds that a check (see `probeLock`) needs at most, unless its process is paused. */
const CHECK_MS = 5;
/** Times that a file is found shared, and not held, before it counts as shared for longer than a check. */
const MAX_SHARED = 20;

/** A lock that the kernel releases when the process ends for any reason. */
export interface FileLock {
  /** Idempotent. */
  release(options?: { remove: boolean }): void;
}

export function toLockFile(home: string, session: string): string {
  if (!/^\w[\w.-]{0,127}$/.test(session)) throw new KlausError('usage', `"${session}" is not a session id.`);
  return join(home, 'locks', `${session}.lock`);
}

/** The lock file that every process with an open database shares, and that recovery locks exclusively. */
export function toUsersFile(home: string): string {
  return join(home, 'klaus.lock');
}

/**
 * Locks a file against all other processes and all other holders in this one. Undefined while it is locked or shared.
 * The lock is an exclusive transaction on an empty database, so that SQLite's own portable locking is used.
 *
 * Do not open such a file in any other way: POSIX drops all locks of a process on a file as soon as the process closes
 * any descriptor of it.
 */
export function lockFile(file: string): FileLock | undefined {
  for (let shared = 0; shared < MAX_SHARED;) {
    const before = prepareFile(file);
    const connection = begin(file, { mode: 'EXCLUSIVE', timeout: CHECK_MS });
    if (connection) {
      // The previous holder may have removed the file in the meantime. Then this lock is on an unlinked file, and
      // another process can lock the new one.
      if (toIdentity(file) === before) return toLock(file, connection);
      connection.close();
    } else if (probeLock(file)) {
      return undefined;
    } else {
      // A process that checks it was paused during its check, or shares it (see `shareFile`).
      shared++;
    }
  }
  return undefined;
}

/**
 * Acquires a lock that any number of processes share.
 *
 * @throws KlausError `store.busy` while it is locked exclusively for longer than the busy time-out.
 */
export function shareFile(file: string): FileLock {
  prepareFile(file);
  const connection = begin(file, { mode: 'DEFERRED', timeout: BUSY_TIMEOUT_MS });
  if (connection) return toLock(file, connection);
  throw new KlausError('store.busy', 'The database is being recovered by another process.', {
    hint: 'Try again in a moment.',
    retryable: true,
  });
}

/** Creates the file if it is missing, without opening an existing one, and returns its identity. */
function prepareFile(file: string): string {
  guarded(file, () => checkDatabaseFile(file));
  for (;;) {
    const identity = toIdentity(file);
    if (identity !== undefined) return identity;
    try {
      makeParent(file);
      closeSync(openSync(file, 'wx', 0o600));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw toStoreError(error, file);
    }
  }
}

/** Not the state folder itself: one that was moved is not created again. */
function makeParent(file: string): void {
  try {
    mkdirSync(dirname(file), { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function toIdentity(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat && `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`;
}

function begin(file: string, options: { mode: 'EXCLUSIVE' | 'DEFERRED'; timeout: number }): DatabaseSync | undefined {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(file, { timeout: options.timeout });
    // A lock writes nothing, so it needs no journal file.
    connection.exec(`PRAGMA journal_mode = MEMORY; BEGIN ${options.mode}; SELECT 1 FROM sqlite_schema`);
    return connection;
  } catch (error) {
    connection?.close();
    const known = toStoreError(error, file);
    if (known instanceof KlausError && known.code === 'store.busy') return undefined;
    throw known;
  }
}

function toLock(file: string, connection: DatabaseSync): FileLock {
  return {
    release(options) {
      if (!connection.isOpen) return;
      if (options?.remove) rmSync(file, { force: true });
      connection.close();
    },
  };
}
