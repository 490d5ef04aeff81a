import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { toStoreError } from './store-error.ts';

/** Milliseconds to wait for another process's transaction. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * One connection. Statements are prepared on first use and cached, writes run in immediate transactions, and errors of
 * SQLite are thrown as KlausError.
 */
export class Database {
  readonly file: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** @param options.readOnly Opens without write access. Default false. */
  constructor(file: string, options: { readOnly?: boolean } = {}) {
    this.file = file;
    try {
      this.#connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: options.readOnly ?? false });
    } catch (error) {
      throw toStoreError(error, file);
    }
  }

  /** Rows have the columns that the statement names, and no prototype; the caller knows their types. */
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#guard(() => this.#prepare(sql).all(...values) as Row[]);
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(...values) as Row | undefined);
  }

  /** Returns the number of rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...values).changes));
  }

  exec(sql: string): void {
    this.#guard(() => this.#connection.exec(sql));
  }

  /** True inside a transaction. SQLite ends one by itself on some failures, such as a full disk. */
  get inTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  /** Runs `work` in one transaction that holds the write lock from its beginning. */
  transaction<T>(work: () => T): T {
    this.run('BEGIN IMMEDIATE');
    try {
      const value = work();
      this.run('COMMIT');
      return value;
    } catch (error) {
      if (this.inTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  /**
   * The same without a wait for the disk. A loss of power may undo it together with everything committed after it; the
   * next `transaction` makes it durable.
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

  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
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

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toStoreError(error, this.file);
    }
  }
}
