import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import pg from 'pg';
import type { ChangeMark, Draft } from '@klaus/core/agent';
import { EVENT_VERSION, FIRST_PREV, type Event } from '@klaus/core/protocol';
import { generateHistory } from '../../fixtures/generated-history.ts';
import { addEvents } from '../../fixtures/postgres-events.ts';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../fixtures/postgres-server.ts';
import { START } from '../../fixtures/sample-events.ts';
import { addSession, toOpened } from '../../fixtures/add-session.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createPostgresStore } from '../postgres-store.ts';
import { openDatabase, type Database } from '../database.ts';
import { HOLDER_LOCK_CLASS } from '../leases/holder-lock.ts';
import { migrate } from '../migrations/migrate.ts';
import { createQueries } from '../queries/queries.ts';
import { createView, type LoadedView } from './view.ts';

const SESSIONS = 24;
const projection = { maxToolResultSize: 100 };
const HISTORY = generateHistory(11, SESSIONS);
const IDS = [...new Set(HISTORY.map(({ session }) => session))].toSorted();

describe.skipIf(!findPostgres())('the view in memory (needs Postgres)', () => {
  let server: PostgresDatabases;
  beforeAll(async () => void (server = await openPostgres()));
  afterAll(() => server[Symbol.asyncDispose]());

  const open = async () => {
    const stack = new AsyncDisposableStack();
    const url = await server.createDatabase();
    const database = openDatabase({ url });
    stack.defer(() => database.close());
    await migrate(database);
    const queries = createQueries(database, {
      clock: { now: () => START },
      projection,
      appendHost: async () => undefined,
      touched: () => {},
      countBlobs: async () => ({ count: 0, bytes: 0 }),
    });
    const ticks: (() => void)[] = [];
    const clock = { every: (_: number, tick: () => void) => (ticks.push(tick), () => {}) };
    return { url, database, queries, ticks, clock, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  };

  const seqs = new Map<Database, Map<string, number>>();
  const append = async (database: Database, session: string, drafts: readonly Draft[]) => {
    const known = seqs.get(database) ?? new Map<string, number>();
    seqs.set(database, known);
    const events = drafts.map((draft, at): Event => {
      const seq = (known.get(session) ?? 0) + at + 1;
      return { v: EVENT_VERSION, seq, prev: FIRST_PREV, session, ...draft };
    });
    known.set(session, events.at(-1)!.seq);
    await addEvents(database, events, projection);
  };

  const expectSame = async (
    { view }: LoadedView,
    { queries, database }: { queries: ReturnType<typeof createQueries>; database: Database },
  ) => {
    const all = { limit: 1_000 };
    expect(view.sessions(all)).toEqual(await queries.sessions(all));
    expect(view.approvals({ open: true })).toEqual(await queries.approvals({ open: true }));
    for (const filter of [{}, { limit: 3 }]) expect(view.attention(filter)).toEqual(await queries.attention(filter));
    const claimed = await database.all<{ id: string }>('SELECT session_id AS id FROM live_leases');
    expect(IDS.filter((id) => view.isClaimed(id))).toEqual(claimed.map(({ id }) => id).toSorted());
  };

  test('it has the same answers as the queries after every append', async () => {
    await using opened = await open();
    const loaded = await createView(opened.database, { clock: opened.clock });
    await expectSame(loaded, opened);
    for (const [at, { session, drafts }] of HISTORY.entries()) {
      await append(opened.database, session, drafts);
      await loaded.refresh(session);
      expect(loaded.view.session(session)).toEqual(await opened.queries.session(session));
      expect(loaded.view.head(session)).toEqual({ seq: (await opened.queries.head(session))!.seq });
      if (at % 25 === 0) await expectSame(loaded, opened);
    }
    const filters = [
      ...(['created', 'cost', 'title', 'updated'] as const).flatMap((sort) =>
        (['asc', 'desc'] as const).map((order) => ({ sort, order, before: IDS[7]!, limit: 9 })),
      ),
      { workspace: '/srv/shop', limit: 1_000 },
      { archived: true },
      { model: 'scripted/other' },
      { before: 'none' },
      { since: new Date(START + 40_000).toISOString(), until: new Date(START + 400_000).toISOString() },
    ];
    for (const filter of filters) expect(loaded.view.sessions(filter)).toEqual(await opened.queries.sessions(filter));
    for (const { session, seq } of (await opened.queries.attention()).items) {
      await opened.queries.markSeen({ session, seq: seq ?? 1 });
      await loaded.refresh(session);
    }
    await expectSame(loaded, opened);
    // A view that starts later has the same.
    await expectSame(await createView(opened.database, { clock: opened.clock }), opened);
  });

  test('it contains commands, claims of live processes alone, and forgets what was deleted', async () => {
    await using opened = await open();
    const { database, queries, url } = opened;
    await append(database, 'A', HISTORY[0]!.drafts);
    const loaded = await createView(database, { clock: opened.clock });
    expect(loaded.view.inbox('A')).toEqual([]);
    for (const id of ['c1', 'c2']) {
      const text = 'INSERT INTO inbox (session_id, command_id, command) VALUES ($1, $2, $3)';
      await database.run(text, ['A', id, JSON.stringify({ type: 'cancel', id })]);
    }
    await loaded.refresh('A');
    expect(loaded.view.inbox('A')).toEqual([
      { type: 'cancel', id: 'c1' },
      { type: 'cancel', id: 'c2' },
    ]);
    await database.run("UPDATE inbox SET consumed_seq = 1, command = NULL WHERE command_id = 'c1'");
    await loaded.refresh('A');
    expect(loaded.view.inbox('A')).toEqual([{ type: 'cancel', id: 'c2' }]);

    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock_shared($1, 7)', [HOLDER_LOCK_CLASS]);
    await database.run(`INSERT INTO leases (session_id, holder, fence, expires_at)
      VALUES ('A', 7, 1, clock_timestamp() + interval '1 hour')`);
    expect(loaded.view.isClaimed('A')).toBe(false);
    opened.ticks[0]!();
    await expect.poll(() => loaded.view.isClaimed('A')).toBe(true);
    expect(await queries.isClaimed('A')).toBe(true);
    // The process ends without a release.
    await holder.end();
    await expect.poll(() => queries.isClaimed('A')).toBe(false);
    opened.ticks[0]!();
    await expect.poll(() => loaded.view.isClaimed('A')).toBe(false);

    for (const table of ['events', 'heads', 'inbox', 'approvals'])
      await database.run(`DELETE FROM ${table} WHERE session_id = 'A'`);
    await database.run("DELETE FROM sessions WHERE id = 'A'");
    await loaded.refresh('A');
    expect([loaded.view.session('A'), loaded.view.head('A'), loaded.view.inbox('A')]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  });

  test('changes since a mark, also after a reload', async () => {
    await using opened = await open();
    const loaded = await createView(opened.database, { clock: opened.clock });
    for (const session of ['A', 'B', 'C']) await append(opened.database, session, HISTORY[0]!.drafts);
    await loaded.refresh('A');
    const since = (mark?: ChangeMark) => loaded.view.changedSessions(mark);
    const { mark, sessions } = since();
    expect(sessions).toEqual([]);
    await Promise.all(['B', 'C', 'B'].map((session) => loaded.refresh(session)));
    expect(since(mark).sessions.toSorted()).toEqual(['B', 'C']);
    expect(since(since(mark).mark).sessions).toEqual([]);
    await loaded.reload();
    // It is not known what changed, so all are listed.
    expect(since(mark).sessions.toSorted()).toEqual(['A', 'B', 'C']);
  });

  test('of many sessions it keeps the latest and those that need the user', { tags: ['long'] }, async () => {
    await using opened = await open();
    const { database, queries } = opened;
    const loaded = await createView(database, { clock: opened.clock, sessions: 5 });
    for (const { session, drafts } of HISTORY) {
      await append(database, session, drafts);
      await loaded.refresh(session);
    }
    const latest = await queries.sessions({ limit: 5 });
    expect(loaded.view.sessions({ limit: 5 })).toEqual(latest);
    expect(loaded.view.attention()).toEqual(await queries.attention());
    expect(loaded.view.approvals({ open: true })).toEqual(await queries.approvals({ open: true }));
    const all = await queries.sessions({ limit: 1_000 });
    const kept = loaded.view.sessions({ limit: 1_000 });
    expect(kept.length).toBeLessThan(all.length);
    const left = all.find(({ id }) => !kept.some((one) => one.id === id))!;
    expect(loaded.view.session(left.id)).toBeUndefined();
    // It is there again as soon as something asks for it.
    await loaded.refresh(left.id);
    expect(loaded.view.session(left.id)).toEqual(left);
    expect(loaded.view.attention()).toEqual(await queries.attention());
    const started = await createView(database, { clock: opened.clock, sessions: 5 });
    expect(started.view.attention()).toEqual(await queries.attention());
  });

  test('a read that fails is repeated with the next one, and a later state is never replaced by an earlier one', async () => {
    await using opened = await open();
    const { database, queries } = opened;
    let failures = 0;
    const unreliable: Database = {
      ...database,
      snapshot: (work) => (failures-- > 0 ? Promise.reject(new Error('lost')) : database.snapshot(work)),
    };
    const loaded = await createView(unreliable, { clock: opened.clock });
    await append(database, 'A', HISTORY[0]!.drafts);
    failures = 1;
    await expect(loaded.refresh('A')).rejects.toThrow('lost');
    expect(loaded.view.session('A')).toBeUndefined();
    // Without another change the next tick repeats it.
    failures = 1;
    opened.ticks[0]!();
    await expect.poll(() => failures).toBe(0);
    opened.ticks[0]!();
    await expect.poll(() => loaded.view.session('A')).toBeDefined();
    await append(database, 'A', [{ type: 'session.changed', title: 'Later', at: START }]);
    failures = 1;
    await expect(loaded.refresh('A')).rejects.toThrow('lost');
    await append(database, 'B', HISTORY[0]!.drafts);
    await loaded.refresh('B');
    expect(loaded.view.session('A')).toEqual(await queries.session('A'));
    const reads = [loaded.reload(), loaded.refresh('A'), loaded.reload()];
    await append(database, 'A', [{ type: 'session.changed', title: 'Newest', at: START }]);
    reads.push(loaded.refresh('A'));
    await Promise.all(reads);
    expect(loaded.view.session('A')!.title).toBe('Newest');
  });

  test('a session that was loaded stays in memory while others change', async () => {
    await using opened = await open();
    const { database, queries } = opened;
    const loaded = await createView(database, { clock: opened.clock, sessions: 2 });
    const ids = Array.from({ length: 8 }, (_, at) => `S${at}`);
    const closed = [HISTORY[0]!.drafts[0]!, { type: 'session.closed', reason: 'x', at: START } as Draft];
    for (const id of ids) {
      await append(database, id, closed);
      await loaded.refresh(id);
    }
    expect([loaded.view.session('S0'), loaded.view.head('S0')]).toEqual([undefined, undefined]);
    await loaded.load('S0');
    await loaded.load('unknown');
    expect(loaded.view.session('unknown')).toBeUndefined();
    const check = async (): Promise<void> => {
      expect(loaded.view.session('S0')).toEqual(await queries.session('S0'));
      expect(loaded.view.head('S0')).toEqual({ seq: 2 });
      expect(loaded.view.session('S1')).toBeUndefined();
    };
    await check();
    for (const id of ids.slice(2)) {
      await append(database, id, [{ type: 'session.changed', title: id, at: START + 1 }]);
      await loaded.refresh(id);
    }
    await check();
    await loaded.reload();
    await check();
  });

  test('`session` of a store loads an idle session into its view', async () => {
    const url = await server.createDatabase();
    const home = createTemporaryHome();
    await using stack = new AsyncDisposableStack();
    stack.use(home);
    const writing = await createPostgresStore({ url, home: home.path });
    stack.defer(() => writing.close());
    for (let at = 0; at < 6; at++) await addSession(writing, `S${at}`, toOpened(START + at));
    const reading = await createPostgresStore({ url, home: home.path, viewSessions: 2 });
    stack.defer(() => reading.close());
    expect(reading.view.sessions().map(({ id }) => id)).toEqual(['S5', 'S4']);
    expect(reading.view.session('S0')).toBeUndefined();
    const row = await reading.session('s0');
    expect(row!.id).toBe('S0');
    expect(reading.view.session('S0')).toEqual(row);
    expect(await reading.session('unknown')).toBeUndefined();
  });

  test('a change during the first read of a view is not lost', async () => {
    const url = await server.createDatabase();
    await using stack = new AsyncDisposableStack();
    const home = stack.use(createTemporaryHome());
    const writing = await createPostgresStore({ url, home: home.path });
    stack.defer(() => writing.close());
    await addSession(writing, 'A', toOpened(START, { title: 'Before' }));
    // The first read waits for this lock, and has the state from before it.
    const blocking = await server.connect(url);
    stack.defer(() => blocking.end());
    await blocking.query('BEGIN; LOCK TABLE attention_seen IN ACCESS EXCLUSIVE MODE');
    const opening = createPostgresStore({ url, home: home.path });
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    await expect.poll(() => server.query(waiting, [], url)).toHaveLength(1);
    const lease = (await writing.claim('A'))!;
    const appended = writing.append('A', [{ type: 'session.changed', title: 'During', at: START + 1 }], { lease });
    await expect.poll(() => writing.eventsOf('A', ['session.changed'])).toHaveLength(2);
    await blocking.query('COMMIT');
    const reading = await opening;
    stack.defer(() => reading.close());
    await appended;
    await expect.poll(() => reading.view.session('A')!.title).toBe('During');
    expect(reading.view.head('A')).toEqual({ seq: 3 });
  });

  test('events about the guard are read once, and a damaged one does not stop the view', async () => {
    await using opened = await open();
    const { database, queries } = opened;
    const put = (seq: number, state: string, record?: string) => {
      const event = { v: 1, seq, type: 'guard.changed', at: START, of: `/${state}`, state };
      return database.run("INSERT INTO host_events (seq, at, type, subject, record) VALUES ($1, $2, $3, '/srv', $4)", [
        seq,
        START,
        event.type,
        record ?? JSON.stringify(event),
      ]);
    };
    await put(3, 'on');
    const loaded = await createView(database, { clock: opened.clock });
    const states = (): unknown => loaded.view.guardChanges().map(({ state, seq }) => [state, seq]);
    expect([states(), loaded.view.guardSeq()]).toEqual([[['on', 3]], 3]);
    await database.run('DELETE FROM host_events WHERE seq = 3');
    await put(5, 'off');
    await Promise.all([loaded.refreshGuard(), loaded.refreshGuard()]);
    const both = [
      ['on', 3],
      ['off', 5],
    ];
    expect([states(), loaded.view.guardSeq()]).toEqual([both, 5]);
    await put(6, 'removed', '{');
    await expect(loaded.refreshGuard()).rejects.toMatchObject({ code: 'store.corrupt' });
    expect([states(), loaded.view.guardSeq()]).toEqual([both, 5]);
    await append(database, 'A', HISTORY[0]!.drafts);
    await loaded.refresh('A');
    expect(loaded.view.session('A')).toEqual(await queries.session('A'));
    await database.run('DELETE FROM host_events WHERE seq = 6');
    await put(6, 'removed');
    // The failed read is repeated.
    opened.ticks[0]!();
    await expect.poll(states).toEqual([...both, ['removed', 6]]);
    await loaded.reload();
    expect(states()).toEqual([
      ['off', 5],
      ['removed', 6],
    ]);
  });

  test('a damaged end of a run stops no other session', async () => {
    await using opened = await open();
    const { database, queries } = opened;
    const ended = HISTORY.find(({ drafts }) => drafts.some(({ type }) => type === 'run.finished'))!.session;
    for (const { session, drafts } of HISTORY) if (session === ended) await append(database, session, drafts);
    await database.run("UPDATE sessions SET ended_seq = 1, outcome = 'failed' WHERE id = $1", [ended]);
    await database.run("UPDATE events SET record = '{' WHERE session_id = $1 AND seq = 1", [ended]);
    const loaded = await createView(database, { clock: opened.clock });
    const failed = { session: ended, kind: 'failed', seq: 1 };
    expect(loaded.view.attention().items).toContainEqual(expect.objectContaining(failed));
    await append(database, 'B', HISTORY[0]!.drafts);
    await Promise.all([loaded.refresh(ended), loaded.refresh('B')]);
    expect(loaded.view.session('B')).toEqual(await queries.session('B'));
  });
});
