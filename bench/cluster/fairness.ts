import { setTimeout as sleep } from 'node:timers/promises';
import { openTemporalScheduler } from '@klaus/adapters/scheduler';
import {
  provideTemporal,
  startTemporal,
  WORKFLOW_CACHE,
} from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import type { Benchmark } from '../benchmark.ts';
import { percentile } from './percentile.ts';

/** Sessions that the worker runs at the same time, and milliseconds of a run. */
const SLOTS = 4;
const RUN_MS = 500;
/** Sessions that are woken at the same time. */
const CALLERS = 20;
/** Sessions of the other tenant, one after the other. */
const OTHERS = 20;

/** A tenant with a long queue, and the delay of the sessions of another one. */
export const fairness: Benchmark = {
  name: 'fairness',
  async run({ quick }) {
    const count = quick ? 100 : 1_000;
    const what = `a tenant has ${count.toLocaleString('en')} queued sessions: wake of another tenant to its run`;
    const { program, reason } = provideTemporal();
    if (program === undefined) return [{ name: what, skipped: reason }];
    await using server = await startTemporal(program);
    await using scheduler = await openTemporalScheduler({
      address: server.address,
      cacheFolder: WORKFLOW_CACHE,
      shareOf: async (session) => ({ tenant: session.slice(0, 1) }),
    });
    const waiting = new Map<string, () => void>();
    let ended = 0;
    const worker = scheduler.work(
      async ({ session }) => {
        waiting.get(session)?.();
        await sleep(RUN_MS);
        ended += 1;
        return { state: 'idle' };
      },
      { slots: SLOTS },
    );
    const sessions = Array.from({ length: count }, (_, at) => `A${at}`).values();
    const wakeAll = async (): Promise<void> => {
      for (const session of sessions) await scheduler.wake(session, 'command');
    };
    const delays: number[] = [];
    try {
      await Promise.all(Array.from({ length: CALLERS }, wakeAll));
      for (let at = 0; at < OTHERS; at++) {
        const begun = Date.now();
        const ran = new Promise<void>((resolve) => waiting.set(`B${at}`, resolve));
        await scheduler.wake(`B${at}`, 'command');
        await ran;
        delays.push(Date.now() - begun);
      }
    } finally {
      await worker.stop(RUN_MS);
    }
    return [
      { name: `${what}, p50`, value: percentile(delays, 50), unit: 'ms' },
      { name: 'the same, longest', most: 2_000, value: Math.max(...delays), unit: 'ms' },
      {
        name: 'the queue of the first tenant at the end, of its beginning',
        value: (100 * (count - ended)) / count,
        unit: '%',
      },
    ];
  },
};
