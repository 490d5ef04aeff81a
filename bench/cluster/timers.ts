import { openTemporalScheduler } from '@klaus/adapters/scheduler';
import {
  provideTemporal,
  startTemporal,
  WORKFLOW_CACHE,
} from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import type { Benchmark } from '../benchmark.ts';
import { readCpuOf } from '../server/server-process.ts';
import { startBenchWorker } from './bench-worker.ts';
import { percentile } from './percentile.ts';

const SLOTS = 40;
/** Sessions that are scheduled at the same time. */
const CALLERS = 20;
/** Milliseconds between the last call and the first timer. */
const LEAD_MS = 2_000;
/** Timers that pass in one second. */
const RATE = 12;

/** Sessions that all wait for their timers on Temporal, which pass at a steady rate. */
export const timers: Benchmark = {
  name: 'timers',
  async run({ quick }) {
    const count = quick ? 300 : 10_000;
    const what = `${count.toLocaleString('en')} pending timers on Temporal`;
    const { program, reason } = provideTemporal();
    if (program === undefined) return [{ name: what, skipped: reason }];
    await using server = await startTemporal(program);
    await using worker = startBenchWorker(server.address, SLOTS);
    await using scheduler = await openTemporalScheduler({ address: server.address, cacheFolder: WORKFLOW_CACHE });
    await scheduler.wake('warm', 'command');
    await worker.ran('warm');

    // All times are after the last call: no timer passes before all of them wait.
    const begun = Date.now();
    const first = begun + LEAD_MS + count * (quick ? 40 : 30);
    const due = new Map(Array.from({ length: count }, (_, at) => [`T${at}`, first + (at * 1_000) / RATE]));
    const rest = due.entries();
    const create = async (): Promise<void> => {
      for (const [session, time] of rest) await scheduler.at(session, time);
    };
    await Promise.all(Array.from({ length: CALLERS }, create));
    const created = Date.now();
    if (created > first) throw new Error(`The first timer passed ${created - first} ms before the last was set.`);
    const cpu = { server: readCpuOf(server.pid), worker: readCpuOf(worker.pid) };
    for (const session of due.keys()) await worker.ran(session);
    const late = [...due].map(([session, time]) => worker.begun.get(session)! - time);
    const perRun = (pid: number, before: number): number => (readCpuOf(pid) - before) / count;
    return [
      { name: `${what}, ${RATE} pass each second: lateness of the run, p50`, value: percentile(late, 50), unit: 'ms' },
      { name: 'the same, p99', most: 5_000, value: percentile(late, 99), unit: 'ms' },
      { name: 'the same, earliest', least: 0, value: Math.min(...late), unit: 'ms' },
      { name: 'one call of `at` of 20 at the same time', value: ((created - begun) * CALLERS) / count, unit: 'ms' },
      { name: 'CPU of the engine for each run', value: perRun(server.pid, cpu.server), unit: 'ms' },
      { name: 'CPU of the worker for each run', value: perRun(worker.pid, cpu.worker), unit: 'ms' },
    ];
  },
};
