import { readLog } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { toNotice } from '../fixtures/sample-events.ts';
import type { CreateStoreHarness } from './store-harness.ts';

/** Leases and fences. */
export function describeLeases(create: CreateStoreHarness): void {
  test('a lease that was released, or one of another session, appends nothing', async () => {
    await using harness = await create();
    await using store = await harness.open();
    const lease = (await store.claim('A'))!;
    await expect(store.append('B', [toNotice('other')], { lease })).rejects.toMatchObject({ code: 'internal' });
    await lease.release();
    await expect(store.append('A', [toNotice('late')], { lease })).rejects.toMatchObject({ code: 'store.busy' });
    const next = (await store.claim('A'))!;
    expect(await store.fenceOf('A')).toBe(next.fence);
    await expect(store.append('A', [toNotice('late')], { lease })).rejects.toMatchObject({ code: 'store.busy' });
    await store.append('A', [toNotice('new')], { lease: next });
    expect(await readLog(store, 'A')).toHaveLength(1);
  });

  test('a session has one lease at a time, also in one process', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await using other = await harness.open();
    const lease = (await store.claim('A'))!;
    expect(await store.claim('A')).toBeUndefined();
    expect(await other.claim('A')).toBeUndefined();
    expect(await other.isClaimed('A')).toBe(true);
    expect(await other.claim('B')).toBeDefined();
    await lease.release();
    await lease.release();
    expect(await other.isClaimed('A')).toBe(false);
    const next = (await other.claim('A'))!;
    expect(next.fence).toBeGreaterThan(lease.fence);
    // Releasing the old lease again does not release that of its new holder.
    await lease.release();
    expect(await store.claim('A')).toBeUndefined();
  });

  test('a check never hinders a claim, and never looks like a holder to another check', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await using claimer = await harness.start();
    await using checker = await harness.start();
    // Creates what a lock needs.
    await (await store.claim('A'))!.release();
    const checked = checker.ask('check A 4000');
    for (let round = 0; round < 300; round++) {
      expect(await claimer.ask('claim A')).toMatch(/^fence /);
      expect(await store.isClaimed('A')).toBe(true);
      await claimer.ask('release A');
    }
    await checked;
    const others = [checker.ask('check A 300'), claimer.ask('check A 300')];
    for (let done = 0; done < 300; done++) expect(await store.isClaimed('A')).toBe(false);
    expect(await Promise.all(others)).toEqual(['held 0', 'held 0']);
  });

  test('a live process holds its session, and SIGKILL releases it at once', async () => {
    await using harness = await create();
    await using store = await harness.open();
    await using holder = await harness.start();
    expect(await holder.ask('claim A')).toBe('fence 1');
    expect(await holder.ask('append A 3')).toBe('appended');
    expect(await store.claim('A')).toBeUndefined();
    expect(await store.isClaimed('A')).toBe(true);

    await holder.kill();
    const lease = (await store.claim('A'))!;
    expect(lease.fence).toBe(2);
    await store.append('A', [toNotice('mine')], { lease });
    expect((await readLog(store, 'A')).map((event) => event.seq)).toEqual([1, 2, 3, 4]);

    await using late = await harness.start();
    expect(await late.ask('claim A')).toBe('refused');
    await lease.release();
    expect(await late.ask('claim A')).toBe('fence 3');
  });
}
