import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkDatabaseFile, isSpaceMissing, NotAFileError, toStorageFailure } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';

/** SQLite's result code of an error in a statement. Source: https://sqlite.org/rescode.html */
const ERROR = 1;

const NO_RIGHT: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EEXIST']);

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
  if (error instanceof NotAFileError) return toWrongKind(error);
  if (!(error instanceof Error) || !('code' in error)) return error;
  const failure = toStorageFailure(error);
  // Every database of Klaus has all tables, so a missing one means damage or a foreign file.
  const hasNoTable = 'errcode' in error && error.errcode === ERROR && error.message.startsWith('no such table');
  if (failure === 'damaged' || hasNoTable) return corrupt(file, error.message, error);
  if (failure === 'busy') {
    return new KlausError('store.busy', `Another process is writing to ${file} and did not finish in time.`, {
      hint: 'Try again in a moment.',
      retryable: true,
      cause: error,
    });
  }
  if (failure === 'full') return toUnwritable(error, file);
  // The folder was there when Klaus opened it.
  if (error.code === 'ENOENT') return toMoved(error, file);
  if (NO_RIGHT.has(error.code)) {
    return new KlausError('config', `Klaus cannot keep its state in ${file}: ${error.message}`, {
      hint: 'Set KLAUS_HOME to a folder that you own.',
      cause: error,
    });
  }
  return error;
}

/** The disk is full or read-only, or something else is at the path of the database. */
function toUnwritable(error: Error, file: string): KlausError {
  // An error of SQLite, which calls every file that it cannot use a failure of the disk.
  if ('errcode' in error) {
    try {
      checkDatabaseFile(file);
    } catch (problem) {
      if (problem instanceof NotAFileError) return toWrongKind(problem);
    }
    if (!existsSync(file)) return toMoved(error, file);
  }
  const hint = isSpaceMissing(error, file)
    ? 'Free some space or make the disk writable; all stored data is intact.'
    : 'Make the disk and the folder writable, and check the disk for errors; all stored data is intact.';
  return new KlausError('store.full', `Nothing more can be written to ${file}: ${error.message}.`, {
    hint,
    cause: error,
  });
}

function toMoved(error: Error, file: string): KlausError {
  return new KlausError('config', `${file} or its folder was moved or deleted while Klaus used it.`, {
    hint: `Restore ${dirname(file)}, or set KLAUS_HOME to the folder where it is now.`,
    cause: error,
  });
}

function toWrongKind(error: NotAFileError): KlausError {
  return new KlausError('config', error.message, {
    hint: 'Move it to another place, and restore the file that was there, if there was one.',
    cause: error,
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
