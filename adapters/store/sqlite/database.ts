import { DatabaseSync } from 'node:sqlite';
import { Connection } from '@klaus/adapters/system';
import { toStoreError } from './store-error.ts';

/** Milliseconds to wait for another process's transaction. */
export const BUSY_TIMEOUT_MS = 5_000;

/** One connection to the database of a state folder. Errors of SQLite are thrown as KlausError. */
export class Database extends Connection {
  readonly file: string;

  /** @param options.readOnly Opens without write access. Default false. */
  constructor(file: string, options: { readOnly?: boolean } = {}) {
    super(file, { ...options, timeout: BUSY_TIMEOUT_MS, toError: (error) => toStoreError(error, file) });
    this.file = file;
  }

  /**
   * The same as `transaction` without a wait for the disk. A loss of power may undo it together with everything committed
   * after it; the next `transaction` makes it durable.
   */
  transactionInMemory<T>(work: () => T): T {
    this.exec('PRAGMA synchronous = NORMAL');
    try {
      return this.transaction(work);
    } finally {
      this.exec('PRAGMA synchronous = FULL');
    }
  }

  /** Runs `work`, which only reads, on one state of the database, independent of concurrent writes. */
  snapshot<T>(work: () => T): T {
    this.exec('BEGIN');
    try {
      return work();
    } finally {
      if (this.inTransaction) this.exec('ROLLBACK');
    }
  }

  /** Runs `work` in a savepoint: its failure undoes only its own part of the surrounding transaction. */
  savepoint<T>(work: () => T): T {
    this.run('SAVEPOINT part');
    try {
      const value = work();
      this.run('RELEASE part');
      return value;
    } catch (error) {
      if (this.inTransaction) this.exec('ROLLBACK TO part; RELEASE part');
      throw error;
    }
  }

  /**
   * Closes without changing the database file. The last connection that closes writes the write-ahead log back into the
   * file, which would alter a damaged one: a second, read-only connection is therefore closed after this one.
   */
  closeUntouched(): void {
    const last = new DatabaseSync(this.file, { readOnly: true });
    try {
      last.prepare('SELECT 1 FROM sqlite_schema').get();
    } catch {
      // The file is damaged, as expected. The connection still holds its lock.
    }
    this.close();
    last.close();
  }
}
