import pg from 'pg';
import { toClientConfig, toSql, type DatabaseOptions, type Sql } from '../database.ts';
import { toDatabaseError } from '../database-error.ts';
import { HOLDER_LOCK_CLASS } from '../leases/holder-lock.ts';
import { CHANNEL, fromPayload, type Change } from './change.ts';

/** Milliseconds after which a statement on this connection counts as a lost connection. */
const ANSWER_TIMEOUT_MS = 4_000;
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2_000;

/**
 * The connection that a process keeps: it has the advisory lock that shows that the process is alive, and receives the
 * notifications of all processes. It is opened again after a loss, with a growing delay.
 */
export interface Listener {
  /** Number of this process in the table `leases`. */
  readonly holder: number;
  /** Grows with every connection. Locks of an earlier one are lost. */
  readonly generation: number;
  /** Runs a statement on this connection. @throws KlausError `store.busy` while there is none. */
  use<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface ListenerOptions extends DatabaseOptions {
  onChange(change: Change): void;
  /** Called with notifications of other channels, to which `use` listened. */
  onOther(payload: string): void;
  /** Called after a lost connection: notifications may have been missed. */
  onReconnect(): void;
}

/** Resolves when the first connection has the lock and listens. @throws KlausError `store.busy`, `config`. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  let client: pg.Client | undefined;
  let holder: number | undefined;
  let generation = 0;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      ...toClientConfig(options),
      statement_timeout: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    });
    const lost = (): void => {
      if (client !== next) return;
      client = undefined;
      retry();
    };
    next.on('error', lost);
    next.on('end', lost);
    next.on('notification', ({ channel, payload = '' }) => {
      const change = channel === CHANNEL ? fromPayload(payload) : undefined;
      if (change) options.onChange(change);
      else if (channel !== CHANNEL) options.onOther(payload);
    });
    try {
      await next.connect();
      const sql = toSql(next);
      holder ??= (await sql.get<{ holder: number }>("SELECT nextval('holders') AS holder"))!.holder;
      await sql.all('SELECT pg_advisory_lock_shared($1, $2)', [HOLDER_LOCK_CLASS, holder]);
      await sql.script(`LISTEN ${CHANNEL}`);
    } catch (error) {
      void next.end().catch(() => {});
      throw toDatabaseError(error);
    }
    if (isClosed) return next.end();
    // Waiting for notifications does not keep the process running.
    unref(next);
    client = next;
    generation += 1;
    failures = 0;
  };
  const retry = (): void => {
    if (isClosed || timer) return;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS);
    timer = setTimeout(() => {
      timer = undefined;
      connect().then(
        () => options.onReconnect(),
        () => {
          failures += 1;
          retry();
        },
      );
    }, delay).unref();
  };

  await connect();
  return {
    holder: holder!,
    get generation() {
      return generation;
    },
    use: (work) => {
      if (client) return work(toSql(client));
      const lost = new Error('Connection terminated unexpectedly');
      return Promise.reject(toDatabaseError(lost));
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const closing = client;
      client = undefined;
      await closing?.end().catch(() => {});
    },
  };
}

/** `pg` has it, and its types do not. */
function unref(client: pg.Client): void {
  (client as pg.Client & { unref(): void }).unref();
}
