import { lstatSync, statSync, type Stats } from 'node:fs';

/** A path at which a database or a lock should be is no ordinary file. */
export class NotAFileError extends Error {
  readonly path: string;

  /** @param kind With its article. */
  constructor(path: string, kind: string) {
    super(`${path} is ${kind}, not a file.`);
    this.path = path;
  }
}

/** What SQLite opens beside a database. It follows no link there. */
const SUFFIXES = ['-wal', '-journal', '-shm'];

/**
 * Call it before SQLite opens a database: it would wait for the writer of a named pipe, and reports other kinds as a
 * failure of the disk. A link to a database is followed; files that do not exist are fine.
 *
 * @throws NotAFileError
 */
export function checkDatabaseFile(file: string): void {
  const own = statSync(file, { throwIfNoEntry: false });
  if (own) checkKind(file, own);
  // Another process may have created the file since.
  else if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new NotAFileError(file, 'a broken symbolic link');
  for (const suffix of SUFFIXES) {
    const path = `${file}${suffix}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found) checkKind(path, found);
  }
}

/** @param stat Of the path itself, or of the file to which it leads. @throws NotAFileError */
export function checkKind(path: string, stat: Stats): void {
  if (!stat.isFile()) throw new NotAFileError(path, toKind(stat));
}

function toKind(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a named pipe';
  if (stat.isSymbolicLink()) return 'a symbolic link';
  return stat.isSocket() ? 'a socket' : 'a device';
}
