import { afterAll, describe, expect, test } from 'vitest';
import { openTemporalScheduler } from './temporal-scheduler.ts';
import { provideTemporal, openTemporal, WORKFLOW_CACHE } from './temporal-server.fixture.ts';

const { program, reason } = provideTemporal();
const server = program === undefined ? undefined : await openTemporal(program);
afterAll(async () => await server?.[Symbol.asyncDispose]());

describe.skipIf(server === undefined)(
  `Temporal without a worker${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  { timeout: 60_000 },
  () => {
    const options = () => ({ address: server!.address, namespace: server!.namespace, cacheFolder: WORKFLOW_CACHE });

    test('an address without an engine and a missing namespace say what to do', async () => {
      const address = '127.0.0.1:1';
      await expect(openTemporalScheduler({ ...options(), address, timeoutMs: 2_000 })).rejects.toMatchObject({
        code: 'scheduler.failed',
        retryable: true,
      });
      await expect(openTemporalScheduler({ ...options(), namespace: 'other' })).rejects.toMatchObject({
        code: 'config',
        hint: expect.stringContaining('temporal operator namespace create --namespace other'),
      });
    });

    test('the status of a session is known', { tags: ['long'] }, async () => {
      await using scheduler = await openTemporalScheduler(options());
      expect(await scheduler.status('A')).toEqual({ state: 'idle' });
      const time = Date.now() + 3_600_000;
      await scheduler.at('A', time);
      const { state, until } = await scheduler.status('A');
      expect(state).toBe('waiting');
      // The engine gets the time as a delay.
      expect(Math.abs(until! - time)).toBeLessThan(30_000);
      await scheduler.wake('A', 'command');
      await scheduler.wake('A', 'command');
      expect(await scheduler.status('A')).toMatchObject({ state: 'queued' });
      await scheduler.cancel('A');
      await scheduler.cancel('A');
      expect(await scheduler.status('A')).toEqual({ state: 'idle' });
    });
  },
);
