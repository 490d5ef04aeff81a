// Covers adapters/store/postgres/projections, adapters/store/postgres/log: the rows of a session beside its appends and a repair.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSession } from '../../fixtures/add-session.ts';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../fixtures/postgres-server.ts';
import { START, toNotice, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { openDatabase } from '../database.ts';
import { createPostgresWorkerStore } from '../postgres-store.ts';
import { rebuildSession } from './rebuild-session.ts';

describe.skipIf(!findPostgres())('the rows of a session (needs Postgres)', () => {
  let server: PostgresDatabases;
  beforeAll(async () => void (server = await openPostgres()));
  afterAll(() => server[Symbol.asyncDispose]());

  test('sessions that append together have their own times, which a rebuild keeps', async () => {
    using home = createTemporaryHome();
    const url = await server.createDatabase();
    await using open = new AsyncDisposableStack();
    const store = await createPostgresWorkerStore({ url, home: home.path });
    open.defer(() => store.close());
    const names = ['B', 'A', 'C'];
    for (const name of names) await addSession(store, name, toSampleDrafts());
    const leases = await Promise.all(names.map(async (name) => (await store.claim(name))!));
    const rename = (at: number) =>
      Promise.all(
        leases.map((lease, place) =>
          store.append(lease.session, [{ type: 'session.changed', title: 'x', at: at + place * 1_000 }], { lease }),
        ),
      );
    const toTimes = () => Promise.all(names.map(async (name) => Date.parse((await store.session(name))!.updatedAt)));
    await rename(START + 60_000);
    await rename(START + 120_000);
    // An event that does not concern its session leaves the time as it is.
    await Promise.all(
      leases.map((lease) => store.append(lease.session, [toNotice('later', START + 180_000)], { lease })),
    );
    await store.append('C', [toNotice('alone', START + 240_000)], { lease: leases[2]! });
    const times = [START + 120_000, START + 121_000, START + 122_000];
    expect(await toTimes()).toEqual(times);
    await Promise.all(names.map((name) => store.administration.rebuild(name)));
    expect(await toTimes()).toEqual(times);
  });

  test('an append that waits for a repair changes the rows that it wrote', async () => {
    using home = createTemporaryHome();
    const url = await server.createDatabase();
    await using open = new AsyncDisposableStack();
    const store = await createPostgresWorkerStore({ url, home: home.path });
    open.defer(() => store.close());
    await addSession(store, 'A', toSampleDrafts());
    const lease = (await store.claim('A'))!;
    const rename = (title: string) => store.append('A', [{ type: 'session.changed', title, at: START }], { lease });
    // The end of the log is known after it.
    await rename('before');
    const database = openDatabase({ url });
    open.defer(() => database.close());
    const appended = await database.transaction(async (sql) => {
      await rebuildSession(sql, 'A', { maxToolResultSize: 1_000 });
      const appending = rename('after');
      const waiting = `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE NOT granted AND datname = current_database()`;
      await expect.poll(() => server.query(waiting, [], url)).toHaveLength(1);
      return { appending };
    });
    await appended.appending;
    expect((await store.session('A'))!.title).toBe('after');
  });
});
