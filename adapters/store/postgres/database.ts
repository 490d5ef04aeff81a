import pg from 'pg';
import { LEASE_MS } from './leases/lease-time.ts';
import { isConnectionLost, markCommitUnknown, toDatabaseError } from './database-error.ts';
import { toStatementName } from './statement-name.ts';

/** Statements over one connection or the pool. Errors of Postgres are thrown as KlausError. */
export interface Sql {
  /** @param text With `$1 …` as placeholders. Columns of type bigint and numeric come as numbers. */
  all<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  get<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined>;
  /** Returns the number of changed rows. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
  /** Runs several statements without values. */
  script(text: string): Promise<void>;
}

/** A statement with its values. */
export type Statement = readonly [text: string, values: readonly unknown[]];

/** A pool of connections to one database. */
export interface Database extends Sql {
  /**
   * Runs `work` in one transaction (READ COMMITTED). Durable when it resolves.
   *
   * @throws KlausError `store.busy` when the connection was lost; see `isCommitUnknown`.
   */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Runs statements in one transaction and one round trip.
   *
   * @throws KlausError `store.busy` when the connection was lost; see `isCommitUnknown`.
   */
  together(statements: readonly Statement[]): Promise<void>;
  /** Runs `work`, which only reads, on one unchanging state of the database. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Waits for running work. Idempotent. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database?…` */
  url: string;
  /** Connections at the same time. Default 8. */
  connections?: number;
  /** Milliseconds after which Postgres ends a statement. Default 30,000. */
  statementTimeoutMs?: number;
  /** Milliseconds to wait for a connection. Default 5,000. */
  connectTimeoutMs?: number;
}

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...toClientConfig(options),
    max: options.connections ?? 8,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  // An idle connection was lost: the pool removes it. Without a listener the process would end.
  pool.on('error', ignore);
  /** The connection of `together`: taking one from the pool and returning it takes a tenth of a commit. */
  let kept: pg.PoolClient | undefined;
  // A connection also emits the error that a statement reports.
  pool.on('connect', (client) => {
    client.on('error', ignore);
    client.on('end', () => {
      if (kept !== client) return;
      kept.release(true);
      kept = undefined;
    });
  });
  const connect = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      throw toDatabaseError(error);
    }
  };
  const use = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await connect();
    let failure: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      // The pool closes a connection that had an error: it may be unusable, or inside a transaction.
      if (error instanceof Error) failure = error;
      throw error;
    } finally {
      client.release(failure);
    }
  };
  const transaction = <T>(begin: string, work: (sql: Sql) => Promise<T>): Promise<T> =>
    use(async (client) => {
      // The first statement of `work` is sent with it, in the same round trip.
      const begun = query(client, begin, []);
      begun.catch(() => {});
      let value: T;
      try {
        value = await work(toSql(client));
        await begun;
      } catch (error) {
        await query(client, 'ROLLBACK', []).catch(() => {});
        throw error;
      }
      try {
        await query(client, 'COMMIT', []);
      } catch (error) {
        markCommitUnknown(error);
        throw error;
      }
      return value;
    });
  const together = async (statements: readonly Statement[]): Promise<void> => {
    const client = kept ?? (await connect());
    kept = undefined;
    (client as Refs).ref();
    try {
      await sendTogether(client, statements);
    } catch (error) {
      client.release(error instanceof Error ? error : undefined);
      throw error;
    }
    if (kept || closing) {
      client.release();
      return;
    }
    // As the idle ones of the pool, it does not keep the process running.
    kept = client;
    (client as Refs).unref();
  };
  const close = async (): Promise<void> => {
    kept?.release();
    kept = undefined;
    await pool.end();
  };
  let closing: Promise<void> | undefined;
  return {
    all: (text, values) => use((client) => toSql(client).all(text, values)),
    get: (text, values) => use((client) => toSql(client).get(text, values)),
    run: (text, values) => use((client) => toSql(client).run(text, values)),
    script: (text) => use((client) => toSql(client).script(text)),
    transaction: (work) => transaction('BEGIN', work),
    together,
    snapshot: (work) => transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
    close: () => (closing ??= close()),
  };
}

/** `pg` has them, and its types do not. */
type Refs = pg.PoolClient & Record<'ref' | 'unref', () => void>;

/** Settings of each connection, also of those that are not in the pool. */
export function toClientConfig(options: DatabaseOptions): pg.ClientConfig {
  const { url, statementTimeoutMs = 30_000, connectTimeoutMs = 5_000 } = options;
  return {
    connectionString: url,
    application_name: 'klaus',
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    // A process that is stopped inside a transaction holds the heads of its sessions no longer than their leases.
    idle_in_transaction_session_timeout: LEASE_MS,
    // For a server that does not answer any more, such as behind a cut connection.
    query_timeout: statementTimeoutMs + 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    pipeline: true,
    types: { getTypeParser: toTypeParser as typeof pg.types.getTypeParser },
  };
}

/** The statements of one connection. */
export function toSql(client: pg.ClientBase): Sql {
  const all = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await query(client, text, values)).rows as Row[];
  return {
    all,
    get: async <Row>(text: string, values?: readonly unknown[]) => (await all<Row>(text, values))[0],
    run: async (text, values = []) => (await query(client, text, values)).rowCount ?? 0,
    async script(text) {
      try {
        await client.query(text);
      } catch (error) {
        throw toDatabaseError(error);
      }
    },
  };
}

/**
 * After an error the COMMIT is a ROLLBACK. It was sent in any case: when the connection is lost, it may have arrived. One
 * statement is a transaction of its own.
 */
async function sendTogether(client: pg.ClientBase, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 1) return sendAlone(client, statements[0]!);
  const all: readonly Statement[] = [['BEGIN', []], ...statements, ['COMMIT', []]];
  const results = await Promise.allSettled(all.map(([text, values]) => query(client, text, values)));
  const failures = results.filter((result) => result.status === 'rejected');
  if (failures.length === 0) return;
  const { reason } = failures[0]!;
  if (failures.some((failure) => isConnectionLost(failure.reason))) markCommitUnknown(reason);
  throw reason;
}

async function sendAlone(client: pg.ClientBase, [text, values]: Statement): Promise<void> {
  try {
    await query(client, text, values);
  } catch (error) {
    if (isConnectionLost(error)) markCommitUnknown(error);
    throw error;
  }
}

/** Statements are prepared once a connection. */
async function query(client: pg.ClientBase, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
  try {
    return await client.query({ name: toStatementName(text), text, values: [...values] });
  } catch (error) {
    throw toDatabaseError(error);
  }
}

const BIGINT = 20;
const NUMERIC = 1_700;

/** Positions, counts and times are far below 2^53. */
function toTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (type === BIGINT || type === NUMERIC) return Number;
  return format === 'binary' ? pg.types.getTypeParser(type, 'binary') : pg.types.getTypeParser(type, 'text');
}

function ignore(): void {}
