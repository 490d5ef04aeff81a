import type { UsageRow } from '@klaus/core/agent';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../fixtures/postgres-server.ts';
import { toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { toProject } from '../../shared/session-change.ts';
import { createPostgresWorkerStore, type PostgresWorkerStore } from '../postgres-store.ts';

const ROOT = '/home/ada/sum';
const TENANT = toProject(ROOT);
const MONTH = new Date('2026-01-15T00:00:00Z');

describe.skipIf(!findPostgres())('tenants (needs Postgres)', () => {
  let server: PostgresDatabases;
  const stack = new AsyncDisposableStack();
  const home = stack.use(createTemporaryHome());
  beforeAll(async () => void (server = stack.use(await openPostgres())));
  afterAll(() => stack.disposeAsync());

  /** Stores over one database, as of several processes. */
  const openAll = async (count: number): Promise<PostgresWorkerStore[]> => {
    const url = await server.createDatabase();
    const open = () => createPostgresWorkerStore({ url, home: home.path });
    const stores = [await open()];
    while (stores.length < count) stores.push(await open());
    for (const store of stores) stack.defer(() => store.close());
    return stores;
  };
  const begin = (store: PostgresWorkerStore, session: string, slots: number) =>
    store.tenants.begin({ session, tenant: TENANT, slots });

  test('no more sessions run than the tenant has slots, over all processes', async () => {
    const [one, two] = (await openAll(2)) as [PostgresWorkerStore, PostgresWorkerStore];
    const sessions = Array.from({ length: 12 }, (_, at) => `S${at}`);
    const began = await Promise.all(sessions.map((session, at) => begin(at % 2 === 0 ? one : two, session, 3)));
    expect(began.filter(Boolean)).toHaveLength(3);
    expect((await one.tenants.waiting())[0]?.sessions).toHaveLength(9);
    // Another tenant has slots of its own.
    expect(await one.tenants.begin({ session: 'other', tenant: 'b', slots: 1 })).toBe(true);
  });

  test('a session that begins again keeps its slot', async () => {
    const [one, two] = (await openAll(2)) as [PostgresWorkerStore, PostgresWorkerStore];
    expect(await begin(one, 'A', 1)).toBe(true);
    expect(await begin(two, 'A', 1)).toBe(true);
    // The former process has it no more, and its end frees nothing.
    expect(await one.tenants.end('A')).toBeUndefined();
    expect(await begin(one, 'B', 1)).toBe(false);
    expect(await two.tenants.end('A')).toBe(TENANT);
  });

  test('a free slot is given to the session that waits longest, and kept for it', async () => {
    const [store] = (await openAll(1)) as [PostgresWorkerStore];
    await begin(store, 'A', 1);
    for (const session of ['B', 'C', 'B']) expect(await begin(store, session, 1)).toBe(false);
    expect(await store.tenants.admit(TENANT, 1)).toEqual([]);
    await store.tenants.end('A');
    expect(await store.tenants.admit(TENANT, 1)).toEqual(['B']);
    expect(await store.tenants.admit(TENANT, 1)).toEqual([]);
    expect(await begin(store, 'D', 1)).toBe(false);
    expect(await begin(store, 'B', 1)).toBe(true);
    expect(await store.tenants.waiting()).toEqual([{ tenant: TENANT, sessions: ['C', 'D'] }]);
    // Without a limit all of them begin, and none waits.
    expect((await store.tenants.admit(TENANT, 0)).toSorted()).toEqual(['C', 'D']);
    expect(await store.tenants.waiting()).toEqual([]);
  });

  test('the slots of a process that ends are free', async () => {
    const [one, two] = (await openAll(2)) as [PostgresWorkerStore, PostgresWorkerStore];
    expect(await begin(one, 'A', 1)).toBe(true);
    expect(await begin(two, 'B', 1)).toBe(false);
    await one.close();
    await expect.poll(() => two.tenants.admit(TENANT, 1)).toEqual(['B']);
    await two.tenants.assign('A', ROOT);
    expect(await two.tenants.list(MONTH)).toMatchObject([{ tenant: TENANT, running: 0 }]);
  });

  test('the tenant of a session never changes, and its rules are changed by name', async () => {
    const [store] = (await openAll(1)) as [PostgresWorkerStore];
    const { tenants } = store;
    expect(await tenants.find('A')).toBeUndefined();
    expect(await tenants.assign('A', ROOT)).toBe(TENANT);
    expect(await tenants.assign('A', '/elsewhere')).toBe(TENANT);
    expect(await tenants.find('A')).toBe(TENANT);
    await tenants.setRules(TENANT, { slots: 2, weight: 3 });
    await tenants.setRules(TENANT, { monthlyUsd: 9.5, weight: null });
    expect(await tenants.rules(TENANT)).toEqual({ slots: 2, monthlyUsd: 9.5, weight: null, priority: null });
    const rows = await tenants.list(MONTH);
    expect(rows.find(({ tenant }) => tenant === TENANT)).toMatchObject({ root: ROOT, running: 0, waiting: 0 });
  });

  test('the cost of a month has the reserved part, and that of deleted sessions', async () => {
    const [store] = (await openAll(1)) as [PostgresWorkerStore];
    const { tenants } = store;
    const drafts = toSampleDrafts();
    const started = drafts.findIndex(({ type }) => type === 'turn.started');
    const lease = (await store.claim('A'))!;
    await tenants.assign('A', ROOT);
    expect(await tenants.usage(TENANT, MONTH)).toEqual({ spentUsd: 0, reservedUsd: 0, unpriced: 0 });
    const events = await store.append('A', drafts.slice(0, started + 1), { lease });
    const open = events.find((event) => event.type === 'turn.started')!;
    expect(open.reserved.usd).toBeGreaterThan(0);
    expect(await tenants.usage(TENANT, MONTH)).toMatchObject({ reservedUsd: open.reserved.usd });
    await store.append('A', drafts.slice(started + 1), { lease });
    await lease.release();
    const [{ usd }] = (await store.usage({ by: 'session' })) as [UsageRow];
    expect(usd).toBeGreaterThan(0);
    const month = await tenants.usage(TENANT, MONTH);
    expect(month.spentUsd).toBeCloseTo(usd!, 9);
    // Another month has none of it.
    expect(await tenants.usage(TENANT, new Date('2026-02-01T00:00:00Z'))).toMatchObject({ spentUsd: 0 });
    expect(await store.clearSessions({ ids: ['A'] })).toMatchObject({ cleared: ['A'] });
    expect((await tenants.usage(TENANT, MONTH)).spentUsd).toBeCloseTo(usd!, 9);
    expect(await tenants.find('A')).toBeUndefined();
  });
});
