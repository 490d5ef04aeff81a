import { readLog, type Lease } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSession, toOpened } from '../../fixtures/add-session.ts';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../fixtures/postgres-server.ts';
import { START, toNotice } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { chainDrafts } from '../../shared/chain-drafts.ts';
import { openDatabase } from '../database.ts';
import { createPostgresStore, createPostgresWorkerStore } from '../postgres-store.ts';
import { Announcer } from './announcer.ts';

/** A connection that keeps what is sent, and fails on demand. */
function createConnection() {
  const sent: string[][] = [];
  const connection = {
    sent,
    isLost: false,
    all: async <Row>(_: string, values: readonly unknown[] = []): Promise<Row[]> => {
      if (connection.isLost) throw new Error('The connection is lost.');
      sent.push([...(values[0] as string[])]);
      return [];
    },
  };
  return connection;
}

describe('the notifications of one process', () => {
  test('the first change is sent at once, and those that follow it together', async () => {
    const connection = createConnection();
    const announcer = new Announcer(connection, () => 7);
    announcer.add('A', 1);
    await expect.poll(() => connection.sent).toEqual([['e:7:1:A']]);
    for (let seq = 2; seq <= 50; seq++) announcer.add(seq % 2 ? 'A' : 'B', seq);
    // An earlier event that is announced again changes nothing.
    announcer.add('B', 3);
    await expect.poll(() => connection.sent).toEqual([['e:7:1:A'], ['e:7:50:B', 'e:7:49:A']]);
    await announcer.close();
  });

  test('what could not be sent is sent later, and `flush` says so', async () => {
    const connection = createConnection();
    const announcer = new Announcer(connection, () => 7);
    connection.isLost = true;
    announcer.add('A', 1);
    await expect(announcer.flush()).rejects.toThrow('lost');
    announcer.add('B', 1);
    announcer.add('A', 2);
    connection.isLost = false;
    await expect.poll(() => connection.sent).toEqual([['e:7:2:A', 'e:7:1:B']]);
    await announcer.flush();
    expect(connection.sent).toHaveLength(1);
    await announcer.close();
  });
});

describe.skipIf(!findPostgres())('events that their process did not announce (needs Postgres)', () => {
  let server: PostgresDatabases;
  beforeAll(async () => void (server = await openPostgres()));
  afterAll(() => server[Symbol.asyncDispose]());

  /** A session whose holder was killed between the commit of its last event and the notification. */
  const openAbandoned = async () => {
    const stack = new AsyncDisposableStack();
    const home = stack.use(createTemporaryHome());
    const url = await server.createDatabase();
    const options = { url, home: home.path };
    const store = await createPostgresWorkerStore(options);
    stack.defer(() => store.close());
    await addSession(store, 'A', toOpened(START));
    const database = openDatabase({ url });
    stack.defer(() => database.close());
    const kill = async (): Promise<void> => {
      const head = await database.get<{ seq: number; hash: string; fence: number }>(
        "UPDATE heads SET fence = fence + 1 WHERE session_id = 'A' RETURNING seq, hash, fence",
      );
      const { events, records, head: end } = chainDrafts(head!, 'A', [toNotice('the last words')]);
      await database.run(
        "UPDATE leases SET holder = 99999, fence = $1, expires_at = clock_timestamp() + interval '1 minute'",
        [head!.fence],
      );
      await database.run("UPDATE heads SET seq = $1, hash = $2 WHERE session_id = 'A'", [end.seq, end.hash]);
      const insert = 'INSERT INTO events (session_id, seq, type, record) VALUES ($1, $2, $3, $4)';
      await database.run(insert, ['A', end.seq, events[0]!.type, records[0]]);
    };
    return { options, store, kill, stack, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  };

  test('who claims the session after its holder announces them', async () => {
    await using abandoned = await openAbandoned();
    const { options, store, kill, stack } = abandoned;
    const other = await createPostgresWorkerStore(options);
    stack.defer(() => other.close());
    const seen: Event[] = [];
    store.subscribe('A', 0, (event) => seen.push(event));
    // Its own notifications are not delivered to it.
    const own: number[] = [];
    other.subscribe('A', 0, ({ seq }) => own.push(seq));
    await expect.poll(() => seen.map(({ seq }) => seq)).toEqual([1, 2]);
    await kill();
    const lease: Lease = (await other.claim('A'))!;
    await expect.poll(() => seen.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(seen).toEqual(await readLog(store, 'A'));
    await expect.poll(() => own).toEqual([1, 2, 3]);
    await lease.release();
  });

  test('a view finds them by itself when no process claims the session', async () => {
    await using abandoned = await openAbandoned();
    const { options, kill, stack } = abandoned;
    const ticks: (() => void)[] = [];
    const clock = { now: () => START, every: (_: number, tick: () => void) => (ticks.push(tick), () => {}) };
    const store = await createPostgresStore({ ...options, clock });
    stack.defer(() => store.close());
    const seen: number[] = [];
    store.subscribe('A', 0, ({ seq }) => seen.push(seq));
    await expect.poll(() => seen).toEqual([1, 2]);
    await kill();
    for (const tick of ticks) tick();
    await expect.poll(() => seen).toEqual([1, 2, 3]);
    expect(store.view.head('A')).toEqual({ seq: 3 });
    expect(store.view.isClaimed('A')).toBe(false);
  });
});
