import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, existsSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkDatabaseFile, makeFolder, syncFolder } from '@klaus/adapters/system';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import { Database } from './database.ts';
import { createMigrationsTable, migrate } from './migrations/migrate.ts';
import { corrupt, guarded } from './store-error.ts';

/** Bytes of a database page. Fixed, so that recovery can find the pages of a file whose header is lost. */
export const PAGE_SIZE = 4_096;

export function toDatabaseFile(home: string): string {
  return join(home, 'klaus.db');
}

/** Creates the state folder, or removes access of other users to it. */
export function prepareHome(home: string): void {
  guarded(home, () => {
    try {
      makeFolder(home);
    } catch (error) {
      // All parent folders are created, so only a broken link can cause this.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new KlausError('config', `Klaus cannot keep its state in ${home}: it is a broken symbolic link.`, {
        hint: 'Create its target folder, or set KLAUS_HOME to a folder that you own.',
        cause: error,
      });
    }
    if ((statSync(home).mode & 0o077) !== 0) chmodSync(home, 0o700);
  });
}

/**
 * Opens the database and creates it if it does not exist. Only cheap checks are made: other damaged pages are detected
 * when they are read.
 *
 * @throws KlausError `store.corrupt`, without a change of the files; `store.full`; `config` without access, or if it is no
 *   file.
 */
export function openDatabase(file: string): Database {
  guarded(file, () => checkDatabaseFile(file));
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) {
    // SQLite would apply a leftover write-ahead log to a new database file.
    if (existsSync(`${file}-wal`)) throw corrupt(file, 'it is missing while its write-ahead log is there');
    createDatabase(file);
  } else if (size < PAGE_SIZE) {
    // SQLite treats an empty file as a new database and would delete its write-ahead log.
    throw corrupt(file, 'it is cut short');
  }
  const database = new Database(file);
  try {
    configure(database);
    migrate(database);
  } catch (error) {
    if (isKlausError(error) && error.code === 'store.corrupt') database.closeUntouched();
    else database.close();
    throw error;
  }
  return database;
}

/**
 * Creates a complete database under a temporary name and then renames it, so that no process sees a partial database. Of
 * two processes that do this at once, the first one wins.
 */
function createDatabase(file: string): void {
  const draft = `${file}.new-${randomUUID().slice(0, 8)}`;
  guarded(file, () => {
    try {
      buildDatabase(draft).close();
      linkSync(draft, file);
      syncFolder(dirname(file));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    } finally {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
    }
  });
}

/** Creates an empty database with the complete schema and leaves it open. The file must not exist. */
export function buildDatabase(file: string): Database {
  closeSync(openSync(file, 'wx', 0o600));
  const database = new Database(file);
  database.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL`);
  configure(database);
  createMigrationsTable(database);
  migrate(database);
  return database;
}

function configure(database: Database): void {
  // secure_delete: a cleared session is erased from the file, so recovery cannot restore it.
  database.exec(
    'PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 67108864; ' +
      'PRAGMA wal_autocheckpoint = 4000',
  );
}
