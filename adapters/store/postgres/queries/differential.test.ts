import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttentionItem, SessionFilter, UsageFilter } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import { generateHistory } from '../../fixtures/generated-history.ts';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../fixtures/postgres-server.ts';
import { START } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database as SqliteDatabase } from '../../sqlite/database.ts';
import { toDatabaseFile } from '../../sqlite/open-database.ts';
import { createSqliteStore, type SqliteStore } from '../../sqlite/sqlite-store.ts';
import { COUNTED_TABLES } from '../../shared/counted-tables.ts';
import { addEvents } from '../../fixtures/postgres-events.ts';
import { openDatabase, type Database } from '../database.ts';
import { migrate } from '../migrations/migrate.ts';
import { createKnowledge } from './knowledge.ts';
import { createQueries } from './queries.ts';

const SESSIONS = 60;
/** The outputs of tools are cut in both stores. */
const projection = { maxToolResultSize: 100 };
const clock = { now: () => START, every: () => () => {} };

describe.skipIf(!findPostgres())('the same events in both stores have the same answers (needs Postgres)', () => {
  const stack = new AsyncDisposableStack();
  let server: PostgresDatabases;
  let sqlite: SqliteStore;
  let sqliteFile: string;
  let database: Database;
  let queries: ReturnType<typeof createQueries>;
  let ids: string[];

  beforeAll(async () => {
    server = stack.use(await openPostgres());
    const home = createTemporaryHome();
    stack.defer(() => home[Symbol.dispose]());
    sqlite = stack.use(createSqliteStore({ home: home.path, clock, ...projection }));
    sqliteFile = toDatabaseFile(home.path);
    database = openDatabase({ url: await server.createDatabase() });
    stack.defer(() => database.close());
    await migrate(database);
    queries = createQueries(database, {
      clock,
      projection,
      appendHost: async () => undefined,
      touched: () => {},
      countBlobs: async () => ({ count: 0, bytes: 0 }),
    });
    const history = generateHistory(7, SESSIONS);
    ids = [...new Set(history.map(({ session }) => session))].toSorted();
    for (const { session, drafts } of history) {
      const lease = (await sqlite.claim(session))!;
      const events: Event[] = await sqlite.append(session, drafts, { lease });
      await lease.release();
      await addEvents(database, events, projection);
    }
  }, 120_000);
  afterAll(() => stack.disposeAsync());

  /** Rows of a table in both stores, without what the stores assign. */
  const readTables = async (table: string, order: string) => {
    const file = new SqliteDatabase(sqliteFile);
    const columns = file
      .all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
      .map(({ name }) => name);
    const names = columns.filter((name) => name !== 'id' || table === 'sessions' || table === 'approvals').join(', ');
    const text = `SELECT ${names} FROM ${table} ORDER BY ${order}`;
    const inSqlite = file.all<object>(text).map((row) => ({ ...row }));
    file.close();
    // Postgres keeps the time of a session in another table.
    const inPostgres = await database.all<object>(text.replace('FROM sessions', 'FROM dated_sessions'));
    return { inSqlite, inPostgres };
  };

  /** Postgres cannot store the null character. */
  const toStored = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(String.raw`\u0000`, '\uFFFD')) as unknown;

  test.each([
    ['sessions', 'id'],
    ['projects', 'hash'],
    ['messages', 'session_id, id'],
    ['tool_calls', 'session_id, id'],
    ['token_usage', 'session_id, id'],
    ['approvals', 'id, session_id'],
    ['remembered', 'approval'],
    ['blob_refs', 'session_id, hash'],
  ])('the table %s has the same rows', async (table, order) => {
    const { inSqlite, inPostgres } = await readTables(table, order);
    expect(inSqlite.length).toBeGreaterThan(1);
    expect(inPostgres).toEqual(toStored(inSqlite));
  });

  const FILTERS: SessionFilter[] = [
    {},
    { limit: 7 },
    { order: 'asc', limit: 1_000 },
    ...(['created', 'cost', 'title', 'updated'] as const).flatMap((sort): SessionFilter[] => [
      { sort, limit: 1_000 },
      { sort, order: 'asc', limit: 1_000 },
    ]),
    { workspace: '/srv/shop' },
    { archived: false },
    { archived: true },
    { model: 'scripted/other' },
    { activeSince: new Date(START + 40_000).toISOString() },
    { since: new Date(START + 40_000).toISOString(), until: new Date(START + 400_000).toISOString() },
    ...['100%', '_', 'REPARIERE', 'ÄRGER', 'ärger', 'zEBRA', '🧮', '\\', '01ke', 'nowhere'].map((search) => ({
      search,
    })),
  ];
  test.each(FILTERS)('sessions %j', async (filter) => {
    expect(await queries.sessions(filter)).toEqual(await sqlite.sessions(filter));
  });

  test.each(['updated', 'created', 'cost', 'title'] as const)('pages of sessions by %s', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = [];
      for (let before: string | undefined; ; before = seen.at(-1)) {
        const filter = { sort, order, limit: 9, ...(before !== undefined && { before }) };
        const rows = await queries.sessions(filter);
        expect(rows).toEqual(await sqlite.sessions(filter));
        seen.push(...rows.map(({ id }) => id));
        if (rows.length < 9) break;
      }
      expect(seen.toSorted()).toEqual(ids);
    }
    expect(await queries.sessions({ sort, before: 'none' })).toEqual(await sqlite.sessions({ sort, before: 'none' }));
  });

  test('one session, by its id, a prefix in any case, or the nearest text', async () => {
    for (const id of ids) expect(await queries.session(id)).toEqual(await sqlite.session(id));
    for (const text of ['', 'none', '%', '_', ids[5]!.toLowerCase(), 'x'])
      expect(await queries.session(text)).toEqual(await sqlite.session(text));
    for (const text of ['01k', '01KE', ids[12]!.slice(0, -1)]) {
      const failure = (await sqlite.session(text).catch((error: unknown) => error)) as Error;
      await expect(queries.session(text)).rejects.toMatchObject({ code: 'usage', message: failure.message });
    }
    for (const text of ['', 'Zebr', 'betta 100%', `${ids[3]!.slice(0, -1)}X`, 'something else'])
      expect(await queries.nearestSession(text)).toEqual(await sqlite.nearestSession(text));
    for (const workspace of ['/home/ada/sum', '/srv/shop', '/nowhere'])
      expect(await queries.latestSession(workspace)).toEqual(await sqlite.latestSession(workspace));
    expect(await queries.agentUses()).toEqual(await sqlite.agentUses());
    for (const id of ids) {
      const [own, other] = [await queries.tree(id), await sqlite.tree(id)];
      expect([own[0], own.toSorted()]).toEqual([id, other.toSorted()]);
      expect(await queries.head(id)).toMatchObject({ seq: (await sqlite.head(id))!.seq });
    }
    expect(await queries.tree('none')).toEqual(await sqlite.tree('none'));
  });

  test('questions, and those that remain valid', async () => {
    for (const filter of [{}, { open: true }, { session: ids[4]! }, { open: true, session: ids[9]! }])
      expect(await queries.approvals(filter)).toEqual(await sqlite.approvals(filter));
    const all = await sqlite.approvals();
    expect(all.length).toBeGreaterThan(20);
    for (const { id } of all)
      expect(await queries.approval(id.toLowerCase())).toEqual(await sqlite.approval(id.toLowerCase()));
    expect(await queries.approval('nothing')).toEqual(await sqlite.approval('nothing'));
    await expect(queries.approval('01ke')).rejects.toMatchObject({ code: 'usage' });
    for (const filter of [
      {},
      { workspace: '/srv/shop' },
      { agent: 'klaus' },
      { workspace: '/srv/shop', agent: 'none' },
    ])
      expect(await queries.remembered(filter)).toEqual(await sqlite.remembered(filter));
  });

  /** The last digits of a sum of dollars depend on the order of the additions. */
  const toRounded = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, one: unknown) => (key === 'usd' && one !== null ? Number(one).toFixed(12) : one)),
    );

  const toKinds = (items: readonly AttentionItem[]): Record<string, number> =>
    Object.fromEntries([...Map.groupBy(items, ({ kind }) => kind)].map(([kind, rows]) => [kind, rows.length]));

  test('what needs the user, before and after it was seen', async () => {
    const list = await sqlite.attention();
    expect(toKinds(list.items)).toMatchObject({ call: expect.any(Number), done: expect.any(Number) });
    for (const limit of [undefined, 0, 1, 3, 10, 25]) {
      const filter = limit === undefined ? {} : { limit };
      expect(await queries.attention(filter)).toEqual(await sqlite.attention(filter));
    }
    for (const { session, seq } of list.items.filter((_, at) => at % 2 === 0)) {
      const seen = { session, seq: seq ?? 1 };
      await sqlite.markSeen(seen);
      await queries.markSeen(seen);
      await queries.markSeen({ ...seen, seq: 1 });
    }
    const later = await sqlite.attention();
    expect(later.items.length).toBeLessThan(list.items.length);
    expect(await queries.attention()).toEqual(later);
    expect([await queries.claimNotification('A:1'), await queries.claimNotification('A:1')]).toEqual([true, false]);
  });

  test.each(['day', 'model', 'session', 'agent', 'workspace'] as const)('usage by %s', async (by) => {
    const filters: UsageFilter[] = [{ by }, { by, since: START + 60_000 }, ...ids.map((session) => ({ by, session }))];
    for (const filter of filters)
      expect(toRounded(await queries.usage(filter))).toEqual(toRounded(await sqlite.usage(filter)));
    const shop = { by, workspaces: ['/srv/shop'] };
    const [own, other, all] = [await queries.usage(shop), await sqlite.usage(shop), await sqlite.usage({ by })];
    expect(toRounded(own)).toEqual(toRounded(other));
    const count = (rows: readonly { requests: number }[]) => rows.reduce((sum, { requests }) => sum + requests, 0);
    expect(count(own)).toBeGreaterThan(0);
    expect(count(own)).toBeLessThan(count(all));
    expect(await queries.usage({ by, workspaces: [] })).toEqual([]);
    expect(await sqlite.usage({ by, workspaces: [] })).toEqual([]);
  });

  test('events of a session, decisions, and requests without an end', async () => {
    const types = ['gate.decided', 'run.finished'] as const;
    for (const id of ids) {
      expect(await queries.eventsOf(id, types)).toEqual(await sqlite.eventsOf(id, types));
      expect(await queries.lastOf(id, types)).toEqual(await sqlite.lastOf(id, types));
    }
    const open = await sqlite.openRequests();
    expect(open.length).toBeGreaterThan(0);
    expect(await queries.openRequests()).toEqual(open);
    for (const filter of [{}, { denied: true }, { session: ids[2]! }, { since: START + 100_000 }]) {
      const own = await Array.fromAsync(queries.decisions(filter));
      expect(own).toEqual(await Array.fromAsync(sqlite.decisions(filter)));
    }
  });

  test('messages are found by the same words', async () => {
    for (const words of [['unicode'], ['ÜNÏ'], ['tests', 'read'], ['sum', 'nothing'], ['repar'], ['xxx'], []]) {
      const toPlaces = (hits: { session: string; seq: number }[]) =>
        hits.map(({ session, seq }) => `${session} ${seq}`).toSorted();
      const own = await queries.searchMessages({ words, limit: 1_000 });
      const other = await sqlite.searchMessages({ words, limit: 1_000 });
      expect(toPlaces(own)).toEqual(toPlaces(other));
    }
  });

  test('the counts, and the projections after a rebuild', async () => {
    const read = () =>
      Promise.all([queries.sessions({ limit: 1_000 }), queries.usage({ by: 'session' }), queries.tree(ids[0]!)]);
    const before = toRounded(await read());
    const [own, other] = [await queries.stats(), await sqlite.stats()];
    expect(toRounded([own.sessions, own.usage])).toEqual(toRounded([other.sessions, other.usage]));
    expect(own.tables.length).toBe(COUNTED_TABLES.length - 1);
    await database.run("UPDATE sessions SET title = 'wrong', cost_usd = 99");
    await database.run("UPDATE heads SET updated_at = 'wrong'");
    await database.run('DELETE FROM approvals');
    const records = own.tables.find(({ name }) => name === 'events')!.rows;
    expect(await queries.rebuild()).toBe(records);
    expect(toRounded(await read())).toEqual(before);
    expect(await queries.approvals()).toEqual(await sqlite.approvals());
  });

  test('what is known about a workspace', async () => {
    const own = (workspace: string) => createKnowledge(database, { workspace, clock });
    for (const open of [own, (workspace: string) => sqlite.knowledge(workspace)]) {
      const [a, b] = [open('/a'), open('/b')];
      await a.set({ key: 'deploy', value: 'by hand, never on Fridays' });
      await a.set({ key: 'release notes', value: 'Größe der Pakete before each deployment' });
      await b.set({ key: 'style', value: 'tabs', scope: 'global', category: 'pinned' });
      await a.set({ key: 'style', value: 'spaces', session: 'S' });
      await a.set({ key: 'deploy', value: 'never on Fridays', category: 'pinned' });
    }
    for (const workspace of ['/a', '/b']) {
      const [one, two] = [own(workspace), sqlite.knowledge(workspace)];
      for (const filter of [
        {},
        { scope: 'global' as const },
        { scope: 'project' as const, limit: 1 },
        { category: 'pinned' },
      ]) {
        expect(await one.list(filter)).toEqual(await two.list(filter));
        expect(await one.count(filter)).toEqual(await two.count(filter));
      }
      for (const query of [
        'deploy',
        'grosse größe',
        'FRIDAY',
        'pinned',
        '"',
        "'; DROP TABLE x",
        '\0',
        '\uD800',
        'a & !b:*',
      ])
        expect(await one.search(query)).toEqual(await two.search(query));
      for (const key of ['style', ' deploy ', 'none']) expect(await one.get(key)).toEqual(await two.get(key));
      expect(await one.remove('deploy', 'project')).toBe(await two.remove('deploy', 'project'));
      await expect(one.set({ key: '', value: 'v' })).rejects.toMatchObject({ code: 'usage' });
    }
  });
});
