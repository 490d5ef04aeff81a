import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openTemporalScheduler } from './temporal-scheduler.ts';
import { provideTemporal, openTemporal, WORKFLOW_CACHE } from './temporal-server.fixture.ts';

const { program, reason } = provideTemporal();
/** Sessions of the tenant that fills the queue, and milliseconds of a run. */
const QUEUED = 160;
const RUN_MS = 80;
/** Sessions of the other tenant. */
const OTHERS = ['b0', 'b1', 'b2', 'b3'];
/** Runs that may begin from their wakes to the last of their runs. Without turns it would be most of the queue. */
const AHEAD = 60;

describe.skipIf(program === undefined)(`tenants${reason === undefined ? '' : `: ${reason}`}`, () => {
  test('a tenant with many queued sessions does not delay another one', { timeout: 120_000 }, async () => {
    await using server = await openTemporal(program!);
    await using scheduler = await openTemporalScheduler({
      address: server.address,
      namespace: server.namespace,
      cacheFolder: WORKFLOW_CACHE,
      shareOf: async (session) => ({ tenant: session.slice(0, 1) }),
    });
    const begun: string[] = [];
    const worker = scheduler.work(
      async ({ session }) => {
        begun.push(session);
        await pause(RUN_MS);
        return { state: 'idle' };
      },
      { slots: 2 },
    );
    try {
      await Promise.all(Array.from({ length: QUEUED }, (_, at) => scheduler.wake(`a${at}`, 'command')));
      await expect.poll(() => begun.length, { timeout: 60_000 }).toBeGreaterThan(4);
      const before = begun.length;
      await Promise.all(OTHERS.map((session) => scheduler.wake(session, 'command')));
      await expect.poll(() => OTHERS.every((session) => begun.includes(session)), { timeout: 60_000 }).toBe(true);
      expect(Math.max(...OTHERS.map((session) => begun.indexOf(session))) - before).toBeLessThan(AHEAD);
    } finally {
      await worker.stop(5_000);
    }
  });
});
