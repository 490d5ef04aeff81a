import { FIRST_PREV, type Event } from '@klaus/core/protocol';
import { type Draft, readLog } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { toNotice, toSampleDrafts } from '../fixtures/sample-events.ts';
import { collect, range } from './collect-seqs.ts';
import type { CreateStoreHarness } from './store-harness.ts';

/** Appends, reads and chains. */
export function describeLog(create: CreateStoreHarness): void {
  test('events are read as they were appended, in an unbroken chain', async () => {
    await using harness = await create();
    const drafts = toSampleDrafts();
    {
      await using store = await harness.open();
      const lease = (await store.claim('A'))!;
      const appended = await store.append('A', drafts.slice(0, 5), { lease });
      appended.push(...(await store.append('A', drafts.slice(5), { lease })));
      expect(await readLog(store, 'A')).toEqual(appended);
    }
    await using store = await harness.open();
    const events = await readLog(store, 'A');
    expect(events).toEqual(drafts.map((draft) => expect.objectContaining(draft)));
    expect(events.map(({ seq }) => seq)).toEqual(range(1, drafts.length));
    expect(events[0]!.prev).toBe(FIRST_PREV);
    expect((await store.head('A'))!.seq).toBe(drafts.length);
    expect(await store.verify('A')).toEqual({ intact: true, records: drafts.length });
    expect((await readLog(store, 'A', 20)).map(({ seq }) => seq)).toEqual(range(21, drafts.length));
  });

  test('a long log is read in batches, with events that are appended during the iteration', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    const drafts = range(1, 300).map((number) => toNotice(String(number)));
    await store.append('A', drafts, { lease });
    const seen: number[] = [];
    for await (const events of store.read('A')) {
      if (seen.length === 0) await store.append('A', [toNotice('late')], { lease });
      seen.push(...events.map(({ seq }) => seq));
    }
    expect(seen).toEqual(range(1, 301));
  });

  test('a refused append does not affect the others of its group', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const [a, b] = [(await store.claim('A'))!, (await store.claim('B'))!];
    const results = await Promise.allSettled([
      store.append('A', [toNotice('1')], { lease: a }),
      store.append('B', [toNotice('lost')], { lease: b, consume: ['unknown-command'] }),
      store.append('B', [toNotice('1')], { lease: b }),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await readLog(store, 'B')).map((event: Event) => event.type === 'notice' && event.text)).toEqual(['1']);
    expect(await store.verify('B')).toEqual({ intact: true, records: 1 });
  });

  test('an append after a refused one continues the chain', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    await store.append('A', [toNotice('first')], { lease });
    const refused = store.append('A', [toNotice('refused'), toNotice('too')], { lease, consume: ['unknown'] });
    const after = store.append('A', [toNotice('second')], { lease });
    await expect(refused).rejects.toMatchObject({ code: 'internal' });
    expect((await after).map((event) => event.seq)).toEqual([2]);
    await store.append('A', [toNotice('third')], { lease });
    expect(await store.verify('A')).toEqual({ intact: true, records: 3 });
  });

  test('appends before a close or a release are durable', async () => {
    await using harness = await create();
    const store = await harness.open();
    const lease = (await store.claim('A'))!;
    const pending = store.append('A', [toNotice('1')], { lease });
    await lease.release();
    const last = store.append('B', [toNotice('1')], { lease: (await store.claim('B'))! });
    await store.close();
    await store.close();
    await Promise.all([pending, last]);
    await using again = await harness.open();
    expect([...(await readLog(again, 'A')), ...(await readLog(again, 'B'))]).toHaveLength(2);
  });

  test('two processes append thousands of events to two sessions', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await using first = await harness.start();
    await using second = await harness.start();
    await Promise.all([first.ask('claim A'), second.ask('claim B')]);
    const seen = [collect(store, 'A', { after: 0, last: 2_000 }), collect(store, 'B', { after: 0, last: 2_000 })];
    expect(await Promise.all([first.ask('append A 2000 4'), second.ask('append B 2000 4')])).toEqual([
      'appended',
      'appended',
    ]);
    for (const seqs of await Promise.all(seen)) expect(seqs).toEqual(range(1, 2_000));
    expect(await store.verify('A')).toEqual({ intact: true, records: 2_000 });
    expect(await store.verify('B')).toEqual({ intact: true, records: 2_000 });
  });

  test('processes that create the store at the same time all open it', async () => {
    await using harness = await create();
    const names = ['A', 'B', 'C', 'D'];
    const answers = await Promise.all(
      names.map(async (name) => {
        await using child = await harness.start();
        return [await child.ask(`claim ${name}`), await child.ask(`append ${name} 1`)];
      }),
    );
    expect(answers).toEqual(names.map(() => ['fence 1', 'appended']));
    await using store = await harness.open();
    for (const name of names) expect(await readLog(store, name)).toHaveLength(1);
  });
}

/** Appends that fail. */
export function describeRefusedAppends(create: CreateStoreHarness): void {
  test('an event that cannot be stored completely stores nothing', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    await store.append('A', [toNotice('first')], { lease });
    const broken = { type: 'approval.asked', run: 'R', approval: 'Q', at: 0 } as unknown as Draft;
    await expect(store.append('A', [toNotice('lost'), broken], { lease })).rejects.toBeInstanceOf(TypeError);
    await store.append('A', [toNotice('second')], { lease });
    const events = await readLog(store, 'A');
    expect(events.map((event) => (event.type === 'notice' ? event.text : event.type))).toEqual(['first', 'second']);
    expect(await store.verify('A')).toMatchObject({ intact: true });
  });
}
