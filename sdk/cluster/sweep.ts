import type { PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import type { Clock, RunScheduler } from '@klaus/core/agent';
import type { ClusterTenants } from './tenants.ts';

export interface SweepOptions {
  store: Pick<PostgresWorkerStore, 'wakes'>;
  scheduler: Pick<RunScheduler, 'wake' | 'at'>;
  /** Limits of tenants. Default: none. */
  tenants?: Pick<ClusterTenants, 'repair'>;
  /** Milliseconds that a command waits before the call of the scheduler counts as lost. Default 2,000. */
  overdueMs?: number;
  /** Default: the machine's clock. */
  clock?: Pick<Clock, 'now' | 'every'>;
  /** Called when the store or the scheduler fails. The next sweep tries again. Default: nothing. */
  onError?: (error: unknown) => void;
}

export interface Sweep {
  /** Repairs what is lost now. `isFull` also looks for runs without an end and for approvals that expire soon. */
  run(isFull?: boolean): Promise<void>;
  stop(): void;
}

/** Milliseconds between two sweeps. */
const EVERY_MS = 2_000;
/** Sweeps between two that are full. */
const FULL_EVERY = 15;
/**
 * Milliseconds before the end of an approval at which its timer is set again, if it was lost: time for two full sweeps.
 * All open approvals in each of them would be more calls than the runs need.
 */
const EXPIRES_SOON_MS = 2 * FULL_EVERY * EVERY_MS;

const MACHINE_CLOCK: Pick<Clock, 'now' | 'every'> = {
  now: () => Date.now(),
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/**
 * Repairs lost calls of a scheduler from the store, which alone knows what there is to do. Any number of processes may
 * do it at the same time: the store gives each session to one of them, and every call of a scheduler is idempotent.
 */
export function startSweep(options: SweepOptions): Sweep {
  const { store, scheduler, tenants, overdueMs = 2_000, clock = MACHINE_CLOCK, onError = () => {} } = options;
  const { wakes } = store;
  const wake = async (sessions: readonly string[]): Promise<void> => {
    const taken = await wakes.take(sessions, clock.now());
    let woken = 0;
    try {
      for (; woken < taken.length; woken++) await scheduler.wake(taken[woken]!, 'sweep');
    } catch (error) {
      await wakes.forget(taken.slice(woken));
      throw error;
    }
  };
  const run = async (isFull = false): Promise<void> => {
    const { admitted, waiting } = (await tenants?.repair()) ?? { admitted: [], waiting: new Set<string>() };
    for (const session of admitted) await scheduler.wake(session, 'released');
    const found = new Set(await wakes.overdue(overdueMs));
    if (isFull) {
      for (const session of await wakes.interrupted()) found.add(session);
      for (const { session, expiresAt } of await wakes.expiring(clock.now() + EXPIRES_SOON_MS))
        await scheduler.at(session, expiresAt);
      // Between full sweeps it is not known which runs have an end.
      await wakes.forgetOthers([...found]);
    }
    await wake([...found].filter((session) => !waiting.has(session)));
  };
  let sweeps = 0;
  let isRunning = false;
  const tick = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await run(sweeps++ % FULL_EVERY === 0);
    } catch (error) {
      onError(error);
    } finally {
      isRunning = false;
    }
  };
  return { run, stop: clock.every(EVERY_MS, () => void tick()) };
}
