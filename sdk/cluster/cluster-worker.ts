import type { Clock, RunAttempt, RunOutcome, RunScheduler, RunWorker } from '@klaus/core/agent';
import type { Session } from '../sessions/session-handle.ts';
import type { ClusterKlaus } from './cluster-klaus.ts';
import type { ClusterTenants } from './tenants.ts';
import { watchStore } from './watch-store.ts';

export interface ClusterWorkerOptions {
  klaus: WorkingKlaus;
  scheduler: Pick<RunScheduler, 'work' | 'wake'>;
  /** Sessions that run at the same time. */
  slots: number;
  /** Limits of tenants. Default: none. */
  tenants?: Pick<ClusterTenants, 'begin' | 'end'>;
  /** Called when a session cannot run, such as without its folder. The next command, or the sweep, tries again. */
  onProblem?: (session: string, error: unknown) => void;
  /**
   * Asks the store for anything. While it does not answer, the worker gives its sessions back to the scheduler and takes no
   * others. Default: the store is not watched.
   */
  ping?: () => Promise<unknown>;
  /** Called when the store stops answering, and when it answers again. */
  onStore?: (answers: boolean) => void;
  /** Default: the machine's clock. */
  clock?: Pick<Clock, 'now'>;
}

/** What a worker needs of Klaus. */
export interface WorkingKlaus extends Pick<ClusterKlaus, 'prepare'> {
  handle(session: string): Pick<Session, 'advance' | 'isRunnable'>;
  readonly store: Pick<ClusterKlaus['store'], 'tree' | 'approvals'>;
}

/** A worker that counts what it does. */
export interface ClusterWorker extends RunWorker {
  /** Sessions that run here now. */
  readonly running: number;
  /** Their ids. */
  readonly sessions: readonly string[];
  /**
   * Ends the run of a session after its current step, and leaves it to another worker for some seconds. Does nothing for
   * a session that does not run here.
   */
  release(session: string): void;
}

/** Milliseconds after which a session runs again whose approval expired, but is not settled. */
const EXPIRED_MS = 1_000;
/** Milliseconds for which another worker can take a session that was released here. */
const RELEASED_MS = 10_000;
/**
 * Milliseconds in which a run whose session was given back without the store can end its step. It begins no effect: that
 * needs an append. But a command that it has begun may still work.
 */
const LOST_MS = 15_000;

/** Runs sessions in this process, as the scheduler gives them out. */
export function startClusterWorker(options: ClusterWorkerOptions): ClusterWorker {
  const running = new Map<string, AbortController>();
  const released = new Map<string, number>();
  let lost = createLoss();
  const count = async (attempt: RunAttempt): Promise<RunOutcome> => {
    const { session } = attempt;
    const until = released.get(session) ?? 0;
    if (Date.now() < until) return { state: 'held' };
    released.delete(session);
    const own = new AbortController();
    running.set(session, own);
    const { begun, ended } = lost;
    const signal = AbortSignal.any([attempt.signal, ended.signal]);
    const pause = AbortSignal.any([attempt.pause, own.signal, begun.signal]);
    try {
      // Without the store, a run cannot end in time: the scheduler gives the session to another worker during this time.
      return await Promise.race([runAsTenant(options, { ...attempt, signal, pause }), untilLost(begun.signal)]);
    } finally {
      if (running.get(session) === own) running.delete(session);
    }
  };
  const start = (): RunWorker => options.scheduler.work(count, { slots: options.slots });
  let worker = start();
  let stopping: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const stopWatching =
    options.ping &&
    watchStore({
      ping: options.ping,
      onSilent() {
        options.onStore?.(false);
        lost.begun.abort();
        timer = setTimeout((ended: AbortController) => ended.abort(), LOST_MS, lost.ended).unref();
        stopping = worker.stop(0);
      },
      onAnswer() {
        options.onStore?.(true);
        clearTimeout(timer);
        lost = createLoss();
        void stopping?.then(() => {
          stopping = undefined;
          if (!isStopped) worker = start();
        });
      },
    });
  return {
    get running() {
      return running.size;
    },
    get sessions() {
      return [...running.keys()];
    },
    release(session) {
      const own = running.get(session);
      if (!own) return;
      released.set(session, Date.now() + RELEASED_MS);
      own.abort();
    },
    async stop(timeoutMs) {
      isStopped = true;
      stopWatching?.();
      await (stopping ?? worker.stop(timeoutMs));
    },
  };
}

/** `begun`: the store does not answer. `ended`: it has not answered for a long time. */
function createLoss() {
  return { begun: new AbortController(), ended: new AbortController() };
}

function untilLost(signal: AbortSignal): Promise<RunOutcome> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ state: 'paused' }), { once: true });
  });
}

/** A session whose tenant has no free slot waits until one is free: the end of another run, or the sweep, wakes it. */
async function runAsTenant(options: ClusterWorkerOptions, attempt: RunAttempt): Promise<RunOutcome> {
  const { scheduler, tenants, onProblem } = options;
  if (!tenants) return run(options, attempt);
  const { session } = attempt;
  try {
    if (!(await tenants.begin(session))) return { state: 'waiting' };
  } catch (error) {
    onProblem?.(session, error);
    return { state: 'held' };
  }
  try {
    return await run(options, attempt);
  } finally {
    // The sweep repairs what fails here.
    const next = await tenants.end(session).catch(() => []);
    await Promise.allSettled(next.map((one) => scheduler.wake(one, 'released')));
  }
}

async function run({ klaus, clock = Date, onProblem }: ClusterWorkerOptions, given: RunAttempt): Promise<RunOutcome> {
  const { session, attempt, signal, pause } = given;
  const handle = klaus.handle(session);
  try {
    await using prepared = await klaus.prepare(session);
    if (!prepared) return { state: 'held' };
    const { state } = await handle.advance({ signal, pause, attempt });
    if (pause.aborted || signal.aborted) return { state: 'paused' };
    if (state === 'parked') return await toWaiting(klaus, session, clock);
    return state === 'idle' && !(await handle.isRunnable()) ? { state: 'idle' } : { state: 'held' };
  } catch (error) {
    if (signal.aborted) return { state: 'paused' };
    onProblem?.(session, error);
    return { state: 'idle' };
  }
}

/** Until the first approval of the session, or of one below it, expires. */
async function toWaiting(
  { store }: Pick<WorkingKlaus, 'store'>,
  session: string,
  clock: Pick<Clock, 'now'>,
): Promise<RunOutcome> {
  let first = Infinity;
  for (const id of await store.tree(session)) {
    for (const { expiresAt } of await store.approvals({ session: id, open: true })) first = Math.min(first, expiresAt);
  }
  if (first === Infinity) return { state: 'waiting' };
  return { state: 'waiting', until: Math.max(first, clock.now() + EXPIRED_MS) };
}
