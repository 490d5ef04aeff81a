import { setTimeout as sleep } from 'node:timers/promises';
import { openTemporalScheduler } from '@klaus/adapters/scheduler';
import {
  provideTemporal,
  startTemporal,
  WORKFLOW_CACHE,
} from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import type { Benchmark } from '../benchmark.ts';
import { startBenchWorker } from './bench-worker.ts';
import { percentile } from './percentile.ts';

const NAME = 'wake of an idle session on Temporal to the first line of its run';

/** Idle sessions that are woken, five each second. */
export const wake: Benchmark = {
  name: 'wake',
  async run({ quick }) {
    const count = quick ? 50 : 200;
    const { program, reason } = provideTemporal();
    if (program === undefined) return [{ name: NAME, skipped: reason }];
    await using server = await startTemporal(program);
    await using worker = startBenchWorker(server.address, 10);
    await using scheduler = await openTemporalScheduler({ address: server.address, cacheFolder: WORKFLOW_CACHE });
    const waits: number[] = [];
    // The first ones connect.
    for (let at = -10; at < count; at++) {
      const begun = Date.now();
      await scheduler.wake(`W${at}`, 'command');
      await worker.ran(`W${at}`);
      if (at >= 0) waits.push(worker.begun.get(`W${at}`)! - begun);
      await sleep(200);
    }
    return [
      { name: `${NAME}, p50`, value: percentile(waits, 50), unit: 'ms' },
      { name: 'the same, p95', most: 150, value: percentile(waits, 95), unit: 'ms' },
    ];
  },
};
