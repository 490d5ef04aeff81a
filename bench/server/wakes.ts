import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCpuOf } from './server-process.ts';

/** Milliseconds in which wakes are counted, once what follows a start is over. */
const WATCHED_MS = 20_000;
const SETTLED_MS = 10_000;

export interface Idleness {
  /** How often a second a thread of the process went to sleep by itself. */
  wakes: number;
  /** Percent of one core. */
  cpu: number;
}

/** What a process does that has nothing to do. */
export async function measureIdleness(pid: number): Promise<Idleness> {
  await sleep(SETTLED_MS);
  const before = { sleeps: readSleeps(pid), cpu: readCpuOf(pid) };
  await sleep(WATCHED_MS);
  return {
    wakes: ((readSleeps(pid) - before.sleeps) * 1_000) / WATCHED_MS,
    cpu: ((readCpuOf(pid) - before.cpu) * 100) / WATCHED_MS,
  };
}

function readSleeps(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    return sum + Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(text)?.[1] ?? 0);
  }, 0);
}
