import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openTemporalScheduler } from './temporal-scheduler.ts';
import { provideTemporal, startTemporal, WORKFLOW_CACHE } from './temporal-server.fixture.ts';

const { program, reason } = provideTemporal();
/** Sessions of the tenant that fills the queue, and milliseconds of a run. */
const QUEUED = 80;
const RUN_MS = 100;
/** Runs that may begin between the wake of the other tenant and its run: those that the worker has taken already. */
const AHEAD = 16;

describe.skipIf(program === undefined)(`tenants${reason === undefined ? '' : `: ${reason}`}`, () => {
  test('a tenant with many queued sessions does not delay another one', { timeout: 120_000 }, async () => {
    await using server = await startTemporal(program!);
    await using scheduler = await openTemporalScheduler({
      address: server.address,
      cacheFolder: WORKFLOW_CACHE,
      tenantOf: async (session) => session.slice(0, 1),
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
      await scheduler.wake('b0', 'command');
      await expect.poll(() => begun.includes('b0'), { timeout: 60_000 }).toBe(true);
      expect(begun.indexOf('b0') - before).toBeLessThan(AHEAD);
      expect(begun.length).toBeLessThan(QUEUED);
    } finally {
      await worker.stop(5_000);
    }
  });
});
