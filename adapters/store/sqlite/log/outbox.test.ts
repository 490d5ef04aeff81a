import { expect, test } from 'vitest';
import { toNotice, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createSqliteStore, type SqliteStore } from '../sqlite-store.ts';

const [A, B] = ['01KE00000000000000000000AA', '01KE00000000000000000000BB'];

function open(home: string): SqliteStore {
  const store = createSqliteStore({ home });
  store.outbox.collect((event) => (event.type === 'notice' ? event.text : undefined));
  return store;
}

async function say(store: SqliteStore, session: string, ...texts: string[]): Promise<void> {
  const lease = store.claim(session)!;
  for (const text of texts) {
    await store.append(session, [toNotice(text)], { lease });
  }
  lease.release();
}

test('a message is there with its event, and outlives the process that wrote it', async () => {
  using home = createTemporaryHome();
  {
    using store = open(home.path);
    await say(store, A, 'one');
  }
  using store = open(home.path);
  const outbox = store.outbox.deliver()!;
  const [message, ...others] = outbox.due(0);
  expect(others).toEqual([]);
  expect(message).toMatchObject({ session: A, seq: 1, body: 'one', attempts: 0 });
  await outbox.remove(message!.id);
  expect(outbox.nextAt()).toBeUndefined();
});

test('an event that is refused leaves no message', async () => {
  using home = createTemporaryHome();
  using store = open(home.path);
  const lease = store.claim(A)!;
  const consume = ['01KE0000000000000000000CMD'];
  await expect(store.append(A, [toNotice('never')], { lease, consume })).rejects.toThrow('is not waiting');
  expect(store.outbox.deliver()!.due(0)).toEqual([]);
});

test('of each session the oldest comes first, and those behind it wait for it alone', async () => {
  using home = createTemporaryHome();
  using store = open(home.path);
  await say(store, A, 'a1', 'a2');
  await say(store, B, 'b1');
  const outbox = store.outbox.deliver()!;
  const bodies = (now: number): string[] => outbox.due(now).map(({ body }) => body);
  expect(bodies(0)).toEqual(['a1', 'b1']);
  const [first] = outbox.due(0);
  await outbox.postpone(first!.id, 1_000);
  expect(bodies(999)).toEqual(['b1']);
  expect(outbox.due(1_000)[0]).toMatchObject({ body: 'a1', attempts: 1 });
  await outbox.remove(first!.id);
  expect(bodies(0)).toEqual(['a2', 'b1']);
});

test('one process delivers at a time', () => {
  using home = createTemporaryHome();
  using one = open(home.path);
  using two = open(home.path);
  const right = one.outbox.deliver()!;
  expect(two.outbox.deliver()).toBeUndefined();
  right.release();
  expect(two.outbox.deliver()).toBeDefined();
});

test('what tells of a deleted session goes with it', async () => {
  using home = createTemporaryHome();
  using store = open(home.path);
  const lease = store.claim(A)!;
  await store.append(A, [...toSampleDrafts()], { lease });
  lease.release();
  await say(store, A, 'one');
  expect(store.clearSessions({ ids: [A] }).cleared).toEqual([A]);
  expect(store.outbox.deliver()!.due(Infinity)).toEqual([]);
});
