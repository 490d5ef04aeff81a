import type { Clock, RunScheduler, StoreQueries } from '@klaus/core/agent';
import { findRoot } from './find-root.ts';
import type { ClusterTenants } from './tenants.ts';

/** What a sweep reads: a store of several machines. */
export interface SweptStore extends Pick<StoreQueries, 'isClaimed' | 'session' | 'approvals' | 'attention'> {
  /** Sessions with a command that has waited longer than this, the longest first. */
  overdueWakes(olderThanMs: number): Promise<string[]>;
  /** Finds out if a session runs at another place, so that no worker can run it. Default: none does. */
  transfer?: { moveOf(session: string): Promise<unknown> };
}

export interface SweepOptions {
  store: SweptStore;
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
/** Milliseconds between two wakes of a session that does not continue: doubled for each, up to the longest. */
const WAIT = { first: 4_000, longest: 300_000 } as const;

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
 * do it at the same time, because every call of a scheduler is idempotent.
 */
export function startSweep(options: SweepOptions): Sweep {
  const { store, scheduler, tenants, overdueMs = 2_000, clock = MACHINE_CLOCK, onError = () => {} } = options;
  /** Sessions that were woken: when, the end of their logs then, and for how long they are not woken if it stays. */
  const woken = new Map<string, { at: number; seq: number; wait: number }>();
  const isMoved = async (session: string): Promise<boolean> => (await store.transfer?.moveOf(session)) !== undefined;
  const wake = async (session: string): Promise<void> => {
    const known = woken.get(session);
    const since = known ? clock.now() - known.at : Infinity;
    if (since < WAIT.first) return;
    const seq = (await store.session(session))?.lastSeq ?? 0;
    const isStill = known?.seq === seq;
    if (isStill && since < known.wait) return;
    // Its holder reads the inbox itself.
    if (await store.isClaimed(session)) return;
    if (await isMoved(session)) return;
    await scheduler.wake(session, 'sweep');
    const wait = isStill ? Math.min(known.wait * 2, WAIT.longest) : WAIT.first;
    woken.set(session, { at: clock.now(), seq, wait });
  };
  const run = async (isFull = false): Promise<void> => {
    const found = new Set<string>();
    const { admitted, waiting } = (await tenants?.repair()) ?? { admitted: [], waiting: new Set<string>() };
    for (const session of admitted) await scheduler.wake(session, 'released');
    for (const id of await store.overdueWakes(overdueMs)) found.add(await findRoot(store, id));
    if (isFull) {
      const { items } = await store.attention();
      for (const { kind, session } of items) if (kind === 'interrupted') found.add(session);
      for (const { session, expiresAt } of await store.approvals({ open: true })) {
        if (expiresAt <= clock.now() + EXPIRES_SOON_MS && !(await isMoved(session)))
          await scheduler.at(await findRoot(store, session), expiresAt);
      }
      // Between full sweeps it is not known which runs have an end.
      for (const session of woken.keys()) if (!found.has(session)) woken.delete(session);
    }
    for (const session of found) if (!waiting.has(session)) await wake(session);
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
