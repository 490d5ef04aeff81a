import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite';
import { checkDatabaseFile } from './database-file.ts';

/**
 * One connection to a SQLite database. Statements are prepared on first use and cached, writes run in immediate
 * transactions, and errors are converted.
 */
export class Connection {
  #connection: DatabaseSync;
  #isClosed = false;
  #openings = 1;
  readonly #open: () => DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #toError: (error: unknown) => unknown;

  /**
   * @param options.timeout Milliseconds to wait for another process's transaction.
   * @param options.toError Converts an error of SQLite.
   */
  constructor(file: string, options: { timeout: number; readOnly?: boolean; toError: (error: unknown) => unknown }) {
    const { timeout, readOnly = false, toError } = options;
    this.#toError = toError;
    this.#open = () => {
      checkDatabaseFile(file);
      return new DatabaseSync(file, { timeout, readOnly });
    };
    this.#connection = this.#guard(this.#open);
  }

  /** How often the files were opened. */
  get openings(): number {
    return this.#openings;
  }

  /** Rows have the columns that the statement names, and no prototype; the caller knows their types. */
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#guard(() => this.#prepare(sql).all(...values) as Row[]);
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(...values) as Row | undefined);
  }

  /**
   * Rows in the order of `key`, read in pages, so that no read transaction is open while the caller processes a row.
   *
   * @param sql Reads one page: the rows after `?1`, at most `?2`. The other values follow.
   * @param options.size Rows of a page. Default 128.
   */
  *pages<Row>(
    sql: string,
    { key, after, size = 128 }: { key: keyof Row; after: SQLInputValue; size?: number },
    ...values: SQLInputValue[]
  ): Generator<Row, void, undefined> {
    for (let last = after; ;) {
      const rows = this.all<Row>(sql, last, size, ...values);
      yield* rows;
      if (rows.length < size) return;
      last = rows.at(-1)![key] as SQLInputValue;
    }
  }

  run(sql: string, ...values: SQLInputValue[]): StatementResultingChanges {
    return this.#guard(() => this.#prepare(sql).run(...values));
  }

  exec(sql: string): void {
    this.#guard(() => this.#use().exec(sql));
  }

  /** True inside a transaction. SQLite ends one by itself on some failures, such as a full disk. */
  get inTransaction(): boolean {
    return this.#connection.isOpen && this.#connection.isTransaction;
  }

  /** Runs `work` in one transaction that holds the write lock from its beginning. Durable when it returns. */
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

  close(): void {
    this.#isClosed = true;
    if (this.#connection.isOpen) this.#connection.close();
  }

  /** Closes the files until the next use. Does nothing in a transaction. */
  suspend(): void {
    if (!this.#connection.isOpen || this.inTransaction) return;
    this.#statements.clear();
    this.#connection.close();
  }

  /** Called before each statement. */
  protected onUse(): void {}

  /** Called when the files were opened again, with the settings of a new connection. */
  protected onReopen(): void {}

  #use(): DatabaseSync {
    if (!this.#connection.isOpen && !this.#isClosed) {
      this.#connection = this.#guard(this.#open);
      this.#openings += 1;
      this.onReopen();
    }
    this.onUse();
    return this.#connection;
  }

  #prepare(sql: string): StatementSync {
    const connection = this.#use();
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = connection.prepare(sql)));
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#toError(error);
    }
  }
}

/** Why a database or a file cannot be used. */
export type StorageFailure = 'busy' | 'full' | 'damaged';

// Primary result codes, the low byte of SQLite's extended ones. Source: https://sqlite.org/rescode.html
const BY_RESULT_CODE: Readonly<Record<number, StorageFailure>> = {
  5: 'busy', // BUSY
  6: 'busy', // LOCKED
  8: 'full', // READONLY
  10: 'full', // IOERR
  11: 'damaged', // CORRUPT
  13: 'full', // FULL
  14: 'full', // CANTOPEN
  26: 'damaged', // NOTADB
};
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG', 'EIO']);

/** The failure that an error of SQLite or of the file system shows; undefined for any other error. */
export function toStorageFailure(error: Error): StorageFailure | undefined {
  if ('errcode' in error && typeof error.errcode === 'number') return BY_RESULT_CODE[error.errcode & 0xff];
  return 'code' in error && NO_ROOM.has(error.code) ? 'full' : undefined;
}

/** SQLite's result code of a full disk. */
const FULL = 13;
const LIMITS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** True if a failure `full` of a write to this path is a lack of space, and not, for example, a read-only disk. */
export function isSpaceMissing(error: Error, path: string): boolean {
  if ('errcode' in error ? Number(error.errcode) % 256 === FULL : 'code' in error && LIMITS.has(error.code))
    return true;
  try {
    return statfsSync(dirname(path)).bavail === 0;
  } catch {
    return false;
  }
}
