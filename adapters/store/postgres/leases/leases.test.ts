import { setTimeout as delay } from 'node:timers/promises';
import { readLog } from '@klaus/core/agent';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../fixtures/postgres-server.ts';
import { toNotice } from '../../fixtures/sample-events.ts';
import { startStoreProcess, type StoreProcess } from '../../fixtures/store-process.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createPostgresStore, type PostgresStore } from '../postgres-store.ts';

describe.skipIf(!findPostgres())('leases of several machines (needs Postgres)', () => {
  let server: PostgresDatabases;
  const stack = new AsyncDisposableStack();
  const home = stack.use(createTemporaryHome());
  beforeAll(async () => void (server = stack.use(await openPostgres())));
  afterAll(() => stack.disposeAsync());

  const open = async (url: string): Promise<PostgresStore> => {
    const store = await createPostgresStore({ url, home: home.path });
    stack.defer(() => store.close());
    return store;
  };
  const start = (url: string): StoreProcess => stack.use(startStoreProcess(home.path, url));
  /** Waits for a claim that is refused as long as the lease is not expired. */
  const claimExpired = async (store: PostgresStore, session: string) => {
    for (let tries = 0; tries < 300; tries++) {
      const lease = await store.claim(session);
      if (lease) return lease;
      await delay(50);
    }
    throw new Error('The lease did not expire.');
  };

  test('a newer attempt takes a session from a live holder, whose appends are then refused', async () => {
    const url = await server.createDatabase();
    const [one, two] = [await open(url), await open(url)];
    const first = (await one.claim('A', { attempt: 1 }))!;
    await one.append('A', [toNotice('1')], { lease: first });
    const second = (await two.claim('A', { attempt: 2 }))!;
    expect(second.fence).toBe(first.fence + 1);
    await expect(one.append('A', [toNotice('late')], { lease: first })).rejects.toMatchObject({ code: 'store.busy' });
    await two.append('A', [toNotice('2')], { lease: second });
    // The release of the old lease does not release that of the new holder.
    await first.release();
    expect(await one.isClaimed('A')).toBe(true);
    expect((await readLog(one, 'A')).map((event) => event.type === 'notice' && event.text)).toEqual(['1', '2']);
    expect(await one.verify('A')).toEqual({ intact: true, records: 2 });
  });

  test('a late claim never disturbs a live holder, and raises no fence', async () => {
    const url = await server.createDatabase();
    const [one, two] = [await open(url), await open(url)];
    const lease = (await one.claim('A', { attempt: 5 }))!;
    for (const attempt of [4, 5, undefined]) expect(await two.claim('A', { attempt })).toBeUndefined();
    expect(await two.fenceOf('A')).toBe(lease.fence);
    await one.append('A', [toNotice('1')], { lease });
    await lease.release();
    // The session is free, and the older attempt is late nevertheless.
    expect(await two.claim('A', { attempt: 4 })).toBeUndefined();
    expect(await two.fenceOf('A')).toBe(lease.fence);
    const same = (await two.claim('A', { attempt: 5 }))!;
    expect(same.fence).toBe(lease.fence + 1);
    await same.release();
    // A claim without a scheduler, such as of the command line, leaves the number of the attempt.
    await (await one.claim('A'))!.release();
    expect(await two.claim('A', { attempt: 4 })).toBeUndefined();
    expect(await two.claim('A', { attempt: 6 })).toBeDefined();
  });

  test('a session is released while others append without a pause', async () => {
    const store = await open(await server.createDatabase());
    const busy = (await store.claim('busy'))!;
    const done = (await store.claim('done'))!;
    let isReleased = false;
    let count = 0;
    const working = (async () => {
      for (; !isReleased && count < 5_000; count++) await store.append('busy', [toNotice('1')], { lease: busy });
    })();
    await store.append('done', [toNotice('1')], { lease: done });
    await done.release();
    isReleased = true;
    await working;
    expect(count).toBeLessThan(5_000);
    expect(await store.isClaimed('done')).toBe(false);
  });

  test('of many claims at the same time one succeeds', async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    for (let round = 1; round <= 10; round++) {
      const claims = await Promise.all(stores.map((store) => store.claim('A')));
      const taken = claims.filter((lease) => lease !== undefined);
      expect(taken).toHaveLength(1);
      expect(taken[0]!.fence).toBe(round);
      await taken[0]!.release();
    }
  });

  test('the lease of a stopped process expires, and its appends are refused when it continues', async () => {
    const url = await server.createDatabase();
    const store = await open(url);
    const stopped = start(url);
    expect(await stopped.ask('claim A')).toBe('fence 1');
    expect(await stopped.ask('append A 3')).toBe('appended');
    stopped.signal('SIGSTOP');
    const late = stopped.ask('append A 3');
    expect(await store.claim('A')).toBeUndefined();
    const lease = await claimExpired(store, 'A');
    expect(lease.fence).toBe(2);
    await store.append('A', [toNotice('mine')], { lease });
    stopped.signal('SIGCONT');
    expect(await late).toBe('store.busy');
    expect(await stopped.ask('claim A')).toBe('refused');
    // A renewal of the process that continued does not disturb the new holder either.
    await store.append('A', [toNotice('mine')], { lease });
    expect(await store.isClaimed('A')).toBe(true);
    expect(await store.verify('A')).toEqual({ intact: true, records: 5 });
  });

  test(
    'a live holder keeps its lease longer than its time, also over new connections',
    { tags: ['long'] },
    async () => {
      const url = await server.createDatabase();
      const [one, two] = [await open(url), await open(url)];
      const lease = (await one.claim('A'))!;
      const claimedAt = await server.query<{ at: Date }>('SELECT expires_at AS at FROM leases', [], url);
      await server.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`,
        [new URL(url).pathname.slice(1)],
      );
      await expect
        .poll(async () => {
          const [row] = await server.query<{ at: Date }>('SELECT expires_at AS at FROM leases', [], url);
          return row!.at.getTime() - claimedAt[0]!.at.getTime();
        })
        .toBeGreaterThan(5_000);
      expect(await two.claim('A')).toBeUndefined();
      await one.append('A', [toNotice('1')], { lease });
    },
  );
});
