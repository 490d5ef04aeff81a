import { rmSync } from 'node:fs';
import { ObjectBlobs, type ObjectStore } from '@klaus/adapters/objects';
import { createPostgresWorkerStore, type PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import type { Command, Event } from '@klaus/core/protocol';
import { pollUntil } from '../../fixtures/poll.ts';
import type { Ground } from '../ground.ts';
import type { LifeStores, ProcessStore } from './life-stores.ts';
import { MemoryObjects } from './memory-objects.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { SqliteGround, toTemporary } from './sqlite-ground.ts';
import { SyncSql } from '../../../adapters/store/fixtures/sync-sql.ts';

/** Milliseconds until the server has noticed a closed connection. */
const GONE_MS = 30_000;

/** The store of a simulated process of a cluster. */
export interface PostgresProcessStore extends Omit<PostgresWorkerStore, 'close'>, ProcessStore {
  /** Stops it like SIGSTOP: nothing of it reaches the database until `resume`. */
  pause(): void;
  resume(): void;
}

/** The stores of one life over Postgres. */
export interface PostgresLifeStores extends LifeStores {
  readonly objects: MemoryObjects;
  /** @param options.objects Where the process stores blobs. Default: `objects`. */
  open(options: { name: string; objects?: ObjectStore }): Promise<PostgresProcessStore>;
  /** Ends the leases of a process as if their time had passed. */
  expireLeases(name: string): void;
}

/** Lives over Postgres, in one database that is emptied before each of them. */
export class PostgresGround implements Ground {
  readonly #url: URL;
  readonly #sql: SyncSql;
  /** Statements that restore the empty database. */
  readonly #reset: string;
  readonly #home = toTemporary();
  readonly twin = new SqliteGround({ isRemote: true });

  private constructor(url: URL, sql: SyncSql) {
    this.#url = url;
    this.#sql = sql;
    const tables = sql
      .all<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
      .map(({ name }) => name)
      .filter((name) => name !== 'migrations');
    sql.all(
      `CREATE SCHEMA initial; ${tables.map((name) => `CREATE TABLE initial.${name} AS TABLE ${name};`).join('')}`,
    );
    const filled = tables.filter((name) => sql.all(`SELECT 1 FROM initial.${name} LIMIT 1`).length > 0);
    this.#reset = [
      ...tables.map((name) => `DELETE FROM ${name}`),
      ...filled.map((name) => `INSERT INTO ${name} SELECT * FROM initial.${name}`),
    ].join(';');
  }

  /** @param url An empty database, which no one else uses. */
  static async open(url: string): Promise<PostgresGround> {
    const objects = new MemoryObjects();
    // Creates the schema.
    await (await createPostgresWorkerStore({ url, blobs: new ObjectBlobs(objects) })).close();
    return new PostgresGround(new URL(url), new SyncSql(url));
  }

  async openLife(): Promise<PostgresLifeStores> {
    const sql = this.#sql;
    sql.all(this.#reset);
    const objects = new MemoryObjects();
    const open = new Map<string, { store: PostgresProcessStore; holder: number }>();
    return {
      objects,
      isRemote: true,
      durable: {
        events: (session, after) =>
          sql
            .all<{ record: string }>('SELECT record FROM events WHERE session_id = $1 AND seq > $2 ORDER BY seq', [
              session,
              after,
            ])
            .map(({ record }) => JSON.parse(record) as Event),
        inbox: (session) =>
          sql
            .all<{ command: string }>(
              'SELECT command FROM inbox WHERE session_id = $1 AND consumed_seq IS NULL ORDER BY id',
              [session],
            )
            .map(({ command }) => JSON.parse(command) as Command),
      },
      open: async ({ name, objects: given = objects }) => {
        const store = await this.#open(name, given);
        const [row] = sql.all<{ holder: number }>('SELECT last_value::int AS holder FROM holders');
        open.set(name, { store, holder: row!.holder });
        return store;
      },
      expireLeases(name) {
        const { holder } = open.get(name)!;
        sql.all(`UPDATE leases SET expires_at = clock_timestamp() - interval '1 second' WHERE holder = $1`, [holder]);
      },
      async close() {
        await Promise.all([...open.values()].map(({ store }) => store.kill()));
      },
    };
  }

  async #open(name: string, objects: ObjectStore): Promise<PostgresProcessStore> {
    const proxy = await startProxy(Number(this.#url.port));
    const url = new URL(this.#url);
    url.port = String(proxy.port);
    url.searchParams.set('application_name', name);
    const blobs = new ObjectBlobs(objects, { drafts: this.#home });
    // A killed process connects no more, and the others have no lost connections.
    const store = await createPostgresWorkerStore({ url: url.href, blobs, connections: 3, retryMs: 0 });
    let killed: Promise<void> | undefined;
    return Object.assign(store, {
      pause: () => proxy.pause(),
      resume: () => proxy.resume(),
      kill: () => (killed ??= this.#kill(name, { store, proxy })),
    });
  }

  /** The store cannot release anything, because its connections are gone before it closes. */
  async #kill(name: string, { store, proxy }: { store: PostgresWorkerStore; proxy: Proxy }): Promise<void> {
    await proxy.cut();
    const end = performance.now() + GONE_MS;
    // Postgres does not notify of the end of a connection.
    await pollUntil(
      () => {
        if (performance.now() > end) throw new Error(`Postgres still has connections of ${name}.`);
        return !this.#isConnected(name);
      },
      { everyMs: 20 },
    );
    void store.close().catch(() => {});
  }

  #isConnected(name: string): boolean {
    const text = 'SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()';
    return this.#sql.all(text, [name]).length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql[Symbol.asyncDispose]();
    await this.twin[Symbol.asyncDispose]();
    rmSync(this.#home, { recursive: true, force: true });
  }
}
