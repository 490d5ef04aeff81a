// `node worker-process.fixture.ts OPTIONS`: runs sessions, and prints an object for each beginning and end of an attempt. OPTIONS is a JSON
// object with the options of the scheduler and `runMs`, how long a run takes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporalOptions } from './temporal-options.ts';
import { openTemporalScheduler } from './temporal-scheduler.ts';

export interface AttemptLine {
  session: string;
  attempt: number;
  event: 'begun' | 'ended';
  /** Unix milliseconds. */
  time: number;
}

const { runMs, ...options }: TemporalOptions & { runMs: number } = JSON.parse(process.argv[2]!);
const scheduler = await openTemporalScheduler(options);
const print = (line: AttemptLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

scheduler.work(
  async ({ session, attempt, signal }) => {
    print({ session, attempt, event: 'begun', time: Date.now() });
    await sleep(runMs, undefined, { signal }).catch(() => {});
    print({ session, attempt, event: 'ended', time: Date.now() });
    return { state: 'idle' };
  },
  { slots: 4 },
);
