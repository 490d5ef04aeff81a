import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readLog } from '@klaus/core/agent';
import { isKlausError } from '@klaus/core/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { range } from '../conformance/collect-seqs.ts';
import { findPostgres, openPostgres, startPostgres, type PostgresDatabases } from '../fixtures/postgres-server.ts';
import { toNotice } from '../fixtures/sample-events.ts';
import { createTemporaryHome } from '../fixtures/temporary-home.ts';
import { createFolderBlobStore } from '../shared/blob-store.ts';
import { openLogStore, type LogStore } from './log-store.ts';
import { verifySession } from './log/audit.ts';
import { createWakes } from './wakes/wakes.ts';
import { CHANNEL } from './notify/change.ts';

describe.skipIf(!findPostgres())('the log over lost connections (needs Postgres)', () => {
  let server: PostgresDatabases;
  const stack = new AsyncDisposableStack();
  beforeAll(async () => void (server = stack.use(await openPostgres())));
  afterAll(() => stack.disposeAsync());

  const home = stack.use(createTemporaryHome());
  const open = async (url: string, retryMs?: number): Promise<LogStore> => {
    const store = await openLogStore({
      url,
      clock: { now: () => Date.now() },
      blobs: createFolderBlobStore(home.path),
      retryMs,
      inherited: new Map(),
      project: async () => {},
      projectPlain: () => ({ statements: [], updatedAt: null }),
      readRow: async () => undefined,
      apply: async () => {},
    });
    stack.defer(() => store.close());
    return store;
  };
  /** Ends connections of Klaus to a database, except the one that asks. */
  const terminate = (url: string, limit: number): Promise<unknown[]> =>
    server.query(
      `SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
         WHERE datname = $1 AND application_name = 'klaus' AND pid <> pg_backend_pid()
         ORDER BY state = 'active' DESC, random() LIMIT $2) AS chosen`,
      [new URL(url).pathname.slice(1), limit],
    );

  test('notifications that arrive while a store connects do not end its process', async () => {
    const url = await server.createDatabase();
    await open(url);
    const other = await server.connect(url);
    let isDone = false;
    const notifying = (async () => {
      for (let seq = 1; !isDone; seq++) await other.query('SELECT pg_notify($1, $2)', [CHANNEL, `e:999:${seq}:A`]);
    })();
    for (let count = 0; count < 10; count++) {
      const store = await open(url);
      expect(await createWakes(store.database).overdue(0)).toEqual([]);
    }
    isDone = true;
    await notifying;
    await other.end();
  });

  test('connections that end at random moments lose, double and reorder no event', { tags: ['long'] }, async () => {
    const url = await server.createDatabase();
    const store = await open(url);
    const sessions = ['A', 'B', 'C'];
    const seen: number[] = [];
    store.subscribe('A', 0, ({ seq }) => seen.push(seq));
    let isDone = false;
    let ended = 0;
    const breaking = (async () => {
      while (!isDone) {
        await delay(randomInt(15));
        ended += (await terminate(url, randomInt(1, 4))).length;
      }
    })();
    const count = 50;
    const work = async (session: string): Promise<void> => {
      const lease = (await store.claim(session))!;
      for (let number = 1; number <= count; number++) {
        await store.send(session, { type: 'cancel', id: `c${number}` });
        const drafts = [toNotice(`${number} first`), toNotice(`${number} second`)];
        await store.append(session, drafts, { lease, consume: [`c${number}`] });
      }
    };
    try {
      await Promise.all(sessions.map(work));
    } finally {
      isDone = true;
      await breaking;
    }
    expect(ended).toBeGreaterThan(5);
    for (const session of sessions) {
      const events = await readLog(store, session);
      const texts = events.map((event) => event.type === 'notice' && event.text);
      expect(texts).toEqual(range(1, count).flatMap((number) => [`${number} first`, `${number} second`]));
      expect(await verifySession(store.database, session)).toEqual({ intact: true, records: 2 * count });
      expect(await store.inbox(session)).toEqual([]);
    }
    await expect.poll(() => seen).toEqual(range(1, 2 * count));
  });

  test('an append during an outage fails cleanly, and the log says what is stored', async () => {
    const own = await startPostgres();
    try {
      const url = await own.createDatabase();
      const store = await open(url, 400);
      const lease = (await store.claim('A'))!;
      await store.append('A', [toNotice('1')], { lease });
      await own.crash();
      const failures = await Promise.allSettled(
        range(2, 6).map((n) => store.append('A', [toNotice(`${n}`)], { lease })),
      );
      for (const failure of failures) {
        expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'store.busy', retryable: true } });
      }
      await own.start();
      await expect
        .poll(async () => {
          try {
            return (await readLog(store, 'A')).length;
          } catch (error) {
            if (isKlausError(error)) return undefined;
            throw error;
          }
        })
        .toBe(1);
      // The process is the holder still, and continues.
      await store.append('A', [toNotice('2')], { lease });
      expect(await verifySession(store.database, 'A')).toEqual({ intact: true, records: 2 });
      await store.close();
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });

  test('an append waits for a server that starts again in time', async () => {
    const own = await startPostgres();
    try {
      const store = await open(await own.createDatabase());
      const lease = (await store.claim('A'))!;
      await own.crash();
      const pending = store.append('A', [toNotice('1')], { lease });
      const sent = store.send('A', { type: 'cancel', id: 'c' });
      await own.start();
      expect((await pending).map(({ seq }) => seq)).toEqual([1]);
      await sent;
      expect(await store.inbox('A')).toEqual([{ type: 'cancel', id: 'c' }]);
      await store.close();
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });

  test('a subscriber of another process gets what it missed while it had no connection', async () => {
    const url = await server.createDatabase();
    const [writing, reading] = [await open(url), await open(url)];
    const lease = (await writing.claim('A'))!;
    const seen: number[] = [];
    let wakes = 0;
    reading.subscribe('A', 0, ({ seq }) => seen.push(seq));
    reading.onSend('A', () => (wakes += 1));
    for (let round = 0; round < 5; round++) {
      await terminate(url, 100);
      await writing.append('A', [toNotice('1'), toNotice('2')], { lease });
      await writing.send('A', { type: 'cancel', id: `c${round}` });
    }
    await expect.poll(() => seen).toEqual(range(1, 10));
    await expect.poll(() => wakes).toBeGreaterThan(0);
  });

  test('overdue commands name their sessions until they are consumed', async () => {
    const store = await open(await server.createDatabase());
    await store.send('B', { type: 'cancel', id: '1' });
    await store.send('A', { type: 'cancel', id: '1' });
    await store.send('B', { type: 'cancel', id: '2' });
    expect(await createWakes(store.database).overdue(60_000)).toEqual([]);
    await expect.poll(() => createWakes(store.database).overdue(1)).toEqual(['B', 'A']);
    const lease = (await store.claim('B'))!;
    await store.append('B', [], { lease, consume: ['1'] });
    // The other command of the session still waits.
    expect(await createWakes(store.database).overdue(0)).toEqual(['A', 'B']);
    await store.append('B', [], { lease, consume: ['2'] });
    expect(await createWakes(store.database).overdue(0)).toEqual(['A']);
  });
});
