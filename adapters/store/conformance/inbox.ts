import { readLog } from '@klaus/core/agent';
import type { Command } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { toNotice } from '../fixtures/sample-events.ts';
import type { CreateStoreHarness } from './store-harness.ts';

const CANCEL: Command = { type: 'cancel', id: '01KE0000000000000000CANCEL' };

/** Commands. */
export function describeInbox(create: CreateStoreHarness): void {
  test('a command that is sent twice is stored once and consumed once, with its events', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const second: Command = { ...CANCEL, id: '01KE00000000000000000SECOND' };
    await Promise.all([store.send('A', CANCEL), store.send('A', CANCEL)]);
    await store.send('A', second);
    await store.send('B', CANCEL);
    expect(await store.inbox('A')).toEqual([CANCEL, second]);

    const lease = (await store.claim('A'))!;
    await store.append('A', [toNotice('done')], { lease, consume: [CANCEL.id] });
    expect(await store.inbox('A')).toEqual([second]);
    await store.send('A', CANCEL);
    expect(await store.inbox('A')).toEqual([second]);
    await expect(
      store.append('A', [toNotice('again')], { lease, consume: [second.id, CANCEL.id] }),
    ).rejects.toMatchObject({ code: 'internal' });
    expect(await readLog(store, 'A')).toHaveLength(1);
    expect(await store.inbox('A')).toEqual([second]);
    await store.append('A', [], { lease, consume: [second.id] });
    expect(await store.inbox('A')).toEqual([]);
    expect(await store.inbox('B')).toEqual([CANCEL]);
  });

  test('a send wakes the listener of its session, from this process and from another', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const command = (id: string): Command => ({ type: 'cancel', id });
    const woken: string[][] = [];
    let wake: (() => void) | undefined;
    const next = () => new Promise<void>((resolve) => (wake = resolve));
    store.onSend('B', () => woken.push(['wrong session']));
    store.onSend('A', () => {
      woken.push(store.view.inbox('A').map(({ id }) => id));
      wake?.();
    });
    await store.send('A', command('1'));
    expect(woken).toEqual([['1']]);
    await store.send('A', command('1'));
    expect(woken).toHaveLength(1);

    await using other = await harness.start();
    const arrived = next();
    expect(await other.ask('send A 2')).toBe('sent');
    await arrived;
    expect(woken.at(-1)).toEqual(['1', '2']);
  });
}
