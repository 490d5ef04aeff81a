import { readLog } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { toNotice } from '../fixtures/sample-events.ts';
import { collect, range } from './collect-seqs.ts';
import type { CreateStoreHarness } from './store-harness.ts';

/** Subscriptions and in-flight text. */
export function describeSubscriptions(create: CreateStoreHarness): void {
  test('a subscriber gets the log and then later events, once and in order, while another process appends', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await using writer = await harness.start();
    await writer.ask('claim A');
    await writer.ask('append A 200 10');
    const early = collect(store, 'A', { after: 0, last: 1_200 });
    const writing = writer.ask('append A 1000 5');
    const middle = collect(store, 'A', { after: 150, last: 1_200 });
    await writing;
    const late = collect(store, 'A', { after: 1_199, last: 1_200 });
    expect(await early).toEqual(range(1, 1_200));
    expect(await middle).toEqual(range(151, 1_200));
    expect(await late).toEqual([1_200]);
  });

  test('a subscriber sees the events of a killed process and then those of its own', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await using first = await harness.start();
    await first.ask('claim A');
    await first.ask('append A 50');
    await first.kill();
    const seen = collect(store, 'A', { after: 0, last: 150 });
    const lease = (await store.claim('A'))!;
    for (let count = 0; count < 100; count++) await store.append('A', [toNotice(String(count))], { lease });
    expect(await seen).toEqual(range(1, 150));
  });

  test('events that a listener causes are delivered after the current one', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    const seen: number[] = [];
    const done = new Promise<void>((resolve) => {
      const stop = store.subscribe('A', 0, (event) => {
        seen.push(event.seq);
        if (event.seq < 3) void store.append('A', [toNotice('caused')], { lease });
        // Giving the session back writes at once what waits: the next event is there before this one is done.
        if (event.seq === 2) void lease.release();
        if (event.seq === 3) {
          stop();
          resolve();
        }
      });
    });
    await store.append('A', [toNotice('first')], { lease });
    await done;
    expect(seen).toEqual([1, 2, 3]);
  });

  test('a subscriber that throws or unsubscribes does not affect the others', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    const thrown = new Promise<unknown>((resolve) => {
      const others = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.once('uncaughtException', (error) => {
        for (const other of others) process.on('uncaughtException', other);
        resolve(error);
      });
    });
    const bug = new Error('a bug in a door');
    store.subscribe('A', 0, () => {
      throw bug;
    });
    const left: number[] = [];
    store.subscribe('A', 0, (event) => left.push(event.seq))();
    const seen = collect(store, 'A', { after: 0, last: 1 });
    await store.append('A', [toNotice('1')], { lease });
    expect(await seen).toEqual([1]);
    expect(left).toEqual([]);
    expect(await thrown).toBe(bug);
  });

  test('in-flight text reaches the listeners of this process and is not stored', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const seen: string[] = [];
    const stop = store.onLive((live) => seen.push(live.type));
    store.emitLive({ type: 'tool.progress', session: 'A', call: 'c', offset: 0, text: 'x' });
    stop();
    store.emitLive({ type: 'message.discarded', session: 'A', message: 'm' });
    expect(seen).toEqual(['tool.progress']);
    expect(await readLog(store, 'A')).toEqual([]);
  });
}
