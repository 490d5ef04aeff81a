import { expect, test } from 'vitest';
import { toNotice, toSampleDrafts } from '../fixtures/sample-events.ts';
import type { CreateStoreHarness, StoreHarness, TestedStore } from './store-harness.ts';

const [A, B] = ['01KE00000000000000000000AA', '01KE00000000000000000000BB'];

/** A connection whose notices become notifications. */
async function openCollecting(harness: StoreHarness): Promise<TestedStore & AsyncDisposable> {
  const store = await harness.open();
  store.outbox.collect((event) => (event.type === 'notice' ? event.text : undefined));
  return store;
}

async function say(store: TestedStore, session: string, ...texts: string[]): Promise<void> {
  const lease = (await store.claim(session))!;
  for (const text of texts) await store.append(session, [toNotice(text)], { lease });
  await lease.release();
}

/** Notifications. */
export function describeOutbox(create: CreateStoreHarness): void {
  test('a notification is stored with its event and survives its process', async () => {
    await using harness = await create();
    {
      await using store = await openCollecting(harness);
      await say(store, A, 'one');
    }
    await using store = await openCollecting(harness);
    const outbox = (await store.outbox.deliver())!;
    const [message, ...others] = await outbox.due(0);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ session: A, seq: 1, body: 'one', attempts: 0 });
    await outbox.remove(message!.id);
    expect(await outbox.nextAt()).toBeUndefined();
  });

  test('a refused event leaves no notification', async () => {
    await using harness = await create();
    await using store = await openCollecting(harness);
    const lease = (await store.claim(A))!;
    const consume = ['01KE0000000000000000000CMD'];
    await expect(store.append(A, [toNotice('never')], { lease, consume })).rejects.toThrow('is not waiting');
    expect(await (await store.outbox.deliver())!.due(0)).toEqual([]);
  });

  test('the oldest notification of each session is due first', async () => {
    await using harness = await create();
    await using store = await openCollecting(harness);
    await say(store, A, 'a1', 'a2');
    await say(store, B, 'b1');
    const outbox = (await store.outbox.deliver())!;
    const bodies = async (now: number): Promise<string[]> => (await outbox.due(now)).map(({ body }) => body);
    expect(await bodies(0)).toEqual(['a1', 'b1']);
    const [first] = await outbox.due(0);
    await outbox.postpone(first!.id, 1_000);
    expect(await bodies(999)).toEqual(['b1']);
    expect((await outbox.due(1_000))[0]).toMatchObject({ body: 'a1', attempts: 1 });
    await outbox.remove(first!.id);
    expect(await bodies(0)).toEqual(['a2', 'b1']);
  });

  test('one process delivers at a time', async () => {
    await using harness = await create();
    await using one = await openCollecting(harness);
    await using two = await openCollecting(harness);
    const right = (await one.outbox.deliver())!;
    expect(await two.outbox.deliver()).toBeUndefined();
    await right.release();
    expect(await two.outbox.deliver()).toBeDefined();
  });

  test('notifications of a deleted session are deleted', async () => {
    await using harness = await create();
    await using store = await openCollecting(harness);
    const lease = (await store.claim(A))!;
    await store.append(A, [...toSampleDrafts()], { lease });
    await lease.release();
    await say(store, A, 'one');
    expect((await store.clearSessions({ ids: [A] })).cleared).toEqual([A]);
    expect(await (await store.outbox.deliver())!.due(Infinity)).toEqual([]);
  });
}
