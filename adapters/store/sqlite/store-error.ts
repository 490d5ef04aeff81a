import { KlausError } from '@klaus/core/protocol';

// Primary result codes, the low byte of SQLite's extended ones. Source: https://sqlite.org/rescode.html
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG', 'EIO']);
const NO_RIGHT: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EEXIST']);

/** `store.corrupt` for a file, with the way out. */
export function corrupt(file: string, what: string, cause?: unknown): KlausError {
  return new KlausError('store.corrupt', `${file} is damaged: ${what}. It was left as it is.`, {
    hint: 'Run `klaus db recover`: it keeps the damaged file and saves every event that can still be read.',
    cause,
  });
}

/** `store.corrupt` for data of a version that this program does not know. */
export function newer(file: string, what: string): KlausError {
  return new KlausError('store.corrupt', `${file} was written by a newer Klaus: ${what}.`, {
    hint: 'Update Klaus, or set KLAUS_HOME to another folder.',
  });
}

/**
 * Says in Klaus's words what SQLite or the filesystem refused. Anything else, a bug among it, comes back
 * as it is.
 *
 * @param file The file that the operation was about.
 */
export function toStoreError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error && typeof error.errcode === 'number') {
    return fromSqlite(error, error.errcode & 0xff, file);
  }
  if (typeof error.code !== 'string') return error;
  if (NO_ROOM.has(error.code)) return full(file, error);
  if (NO_RIGHT.has(error.code)) {
    return new KlausError('config', `Klaus cannot keep its state in ${file}: ${error.message}`, {
      hint: 'Set KLAUS_HOME to a folder that you own.',
      cause: error,
    });
  }
  return error;
}

function fromSqlite(error: Error, code: number, file: string): unknown {
  switch (code) {
    case BUSY:
    case LOCKED:
      return new KlausError('store.busy', `Another process is writing to ${file} and did not finish in time.`, {
        hint: 'Try again in a moment.',
        retryable: true,
        cause: error,
      });
    case READONLY:
    case IOERR:
    case FULL:
    case CANTOPEN:
      return full(file, error);
    case CORRUPT:
    case NOTADB:
      return corrupt(file, error.message, error);
    case ERROR:
      // A published database always has its tables, so a missing one is damage or somebody else's file.
      return error.message.startsWith('no such table') ? corrupt(file, error.message, error) : error;
    default:
      return error;
  }
}

function full(file: string, cause: Error): KlausError {
  return new KlausError('store.full', `Nothing more can be written to ${file}: ${cause.message}.`, {
    hint: 'Free some space or make the disk writable; what was stored before is intact.',
    cause,
  });
}

/** Runs `work` and says its failures in Klaus's words. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, file);
  }
}
