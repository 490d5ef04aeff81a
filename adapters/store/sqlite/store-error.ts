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

/** `store.corrupt` for a file, with a hint for its recovery. */
export function corrupt(file: string, what: string, cause?: unknown): KlausError {
  return new KlausError('store.corrupt', `${file} is damaged: ${what}. It was left as it is.`, {
    hint: 'Run `klaus db recover`: it keeps the damaged file and saves all events that are still readable.',
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
 * Converts an error of SQLite or of the file system to a KlausError. All other errors, such as bugs, are returned
 * unchanged.
 *
 * @param file The file of the operation.
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
      // Every database of Klaus has all tables, so a missing one means damage or a foreign file.
      return error.message.startsWith('no such table') ? corrupt(file, error.message, error) : error;
    default:
      return error;
  }
}

function full(file: string, cause: Error): KlausError {
  return new KlausError('store.full', `Nothing more can be written to ${file}: ${cause.message}.`, {
    hint: 'Free some space or make the disk writable; all stored data is intact.',
    cause,
  });
}

/** Runs `work` and converts its errors. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, file);
  }
}
