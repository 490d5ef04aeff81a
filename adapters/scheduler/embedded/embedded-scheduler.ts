import type { Clock, RunOutcome, RunScheduler, RunSession, RunStatus, RunWorker, WakeReason } from '@klaus/core/agent';
import { MACHINE_CLOCK } from './scheduler-clock.ts';
import { openStoredQueue, type StoredQueue } from './stored-queue.ts';
import { Timers } from './timers.ts';

export interface EmbeddedOptions {
  /** Folder in which the sessions and their order are stored; created if missing. */
  folder: string;
  /** True while another process holds a session. A `held` session is run again when it is false. Default: never. */
  isHeld?: (session: string) => boolean;
  /** Default: the machine's clock. */
  clock?: Clock;
}

/** Milliseconds between two checks of sessions that another process holds. */
const HELD_MS = 1_000;

interface Running {
  since: number;
  /** It was woken during the run: run it again. */
  again: boolean;
  readonly abort: AbortController;
  ended: Promise<void>;
}

interface Worker {
  readonly run: RunSession;
  readonly slots: number;
  readonly pause: AbortController;
}

/**
 * The scheduler of one machine: up to a limit of sessions run at the same time, the others in order of arrival. The ids
 * of its sessions are on disk until nothing is left to do, so that the next process can resume them in the same order.
 */
export class EmbeddedScheduler implements RunScheduler {
  readonly #stored: StoredQueue;
  readonly #isHeld: (session: string) => boolean;
  readonly #running = new Map<string, Running>();
  /** Queued sessions with the time at which they were added. */
  readonly #queued = new Map<string, number>();
  readonly #waiting = new Map<string, { since: number; isHeld: boolean }>();
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #listeners = new Set<(session: string) => void>();
  #worker: Worker | undefined;
  #attempt = 0;
  #stopHeld: (() => void) | undefined;

  constructor({ folder, isHeld = () => false, clock = MACHINE_CLOCK }: EmbeddedOptions) {
    this.#clock = clock;
    this.#timers = new Timers(clock, (session) => this.#add(session));
    this.#stored = openStoredQueue(folder);
    this.#isHeld = isHeld;
  }

  /** The sessions that an earlier process left, in their order. Wake those that still exist, and cancel the others. */
  get stored(): string[] {
    return this.#stored.list();
  }

  async wake(session: string, why: WakeReason): Promise<void> {
    if (why === 'cancel' && this.#canWork && !this.#running.has(session)) {
      this.#queued.delete(session);
      this.#start(session);
    } else this.#add(session);
  }

  async at(session: string, time: number): Promise<void> {
    if (this.#isStopping) return;
    if (!this.#stored.has(session)) this.#stored.add(session);
    this.#timers.add(session, time);
  }

  async cancel(session: string): Promise<void> {
    this.#queued.delete(session);
    this.#waiting.delete(session);
    this.#timers.remove(session);
    this.#stored.remove(session);
    const running = this.#running.get(session);
    if (running) running.again = false;
    running?.abort.abort();
  }

  async status(session: string): Promise<RunStatus> {
    const until = this.#timers.of(session);
    const timer = until === undefined ? {} : { until };
    const running = this.#running.get(session);
    if (running) return { state: 'running', since: running.since, ...timer };
    const queued = this.#queued.get(session);
    if (queued !== undefined) return { state: 'queued', since: queued, ...timer };
    const waiting = this.#waiting.get(session);
    if (waiting) return { state: 'waiting', since: waiting.since, ...timer };
    return until === undefined ? { state: 'idle' } : { state: 'waiting', until };
  }

  /** @throws Error if this scheduler works already. */
  work(run: RunSession, { slots }: { slots: number }): RunWorker {
    if (this.#worker) throw new Error('The scheduler has a worker.');
    const pause = new AbortController();
    this.#worker = { run, slots, pause };
    this.#fill();
    return {
      stop: async (timeoutMs) => {
        pause.abort();
        this.#stopHeld?.();
        this.#timers.close();
        const ended = new AbortController();
        void this.#clock.sleep(timeoutMs, ended.signal).then(() => {
          if (!ended.signal.aborted) this.#running.forEach(({ abort }) => abort.abort());
        });
        await Promise.allSettled([...this.#running.values()].map((running) => running.ended));
        ended.abort();
      },
    };
  }

  isRunning(session: string): boolean {
    return this.#running.has(session);
  }

  /** True while a session waits for a wake or for its timer. */
  isWaiting(session: string): boolean {
    return this.#waiting.has(session);
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** True while a session runs, is queued, or waits for the process that holds it. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.#queued.size > 0 || [...this.#waiting.values()].some(({ isHeld }) => isHeld);
  }

  get running(): { session: string; since: number }[] {
    return [...this.#running].map(([session, { since }]) => ({ session, since }));
  }

  get queued(): { session: string; since: number }[] {
    return [...this.#queued].map(([session, since]) => ({ session, since }));
  }

  /** From 1; undefined for a session that is not queued. */
  positionOf(session: string): number | undefined {
    const at = [...this.#queued.keys()].indexOf(session);
    return at < 0 ? undefined : at + 1;
  }

  /** Moves a queued session to another position, from 1. Does nothing for others. */
  move(session: string, position: number): void {
    const since = this.#queued.get(session);
    if (since === undefined) return;
    this.#queued.delete(session);
    const others = [...this.#queued];
    this.#queued.clear();
    for (const [id, at] of others.toSpliced(position - 1, 0, [session, since])) this.#queued.set(id, at);
    this.#stored.order([...this.#queued.keys()]);
    for (const id of this.#queued.keys()) this.#notify(id);
  }

  /** Calls the listener when the position or state of a session changed. */
  onChange(listener: (session: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get #isStopping(): boolean {
    return this.#worker?.pause.signal.aborted === true;
  }

  get #canWork(): boolean {
    return this.#worker !== undefined && !this.#isStopping;
  }

  #add(session: string): void {
    if (this.#isStopping) return;
    const running = this.#running.get(session);
    if (!this.#queued.has(session) && !(running && this.#stored.has(session))) this.#stored.add(session);
    if (running) {
      running.again = true;
      return;
    }
    this.#waiting.delete(session);
    if (!this.#queued.has(session)) this.#queued.set(session, this.#clock.now());
    this.#fill();
    this.#notify(session);
  }

  #fill(): void {
    if (!this.#canWork) return;
    for (const session of this.#queued.keys()) {
      if (this.#running.size >= this.#worker!.slots) return;
      this.#queued.delete(session);
      this.#start(session);
    }
  }

  #start(session: string): void {
    this.#waiting.delete(session);
    // The run returns until when the session waits now.
    this.#timers.remove(session);
    const abort = new AbortController();
    const running: Running = { since: this.#clock.now(), again: false, abort, ended: Promise.resolve() };
    this.#running.set(session, running);
    running.ended = this.#tryRun(session, running).finally(() => {
      this.#running.delete(session);
      if (running.again) this.#add(session);
      this.#fill();
      this.#notify(session);
      for (const queued of this.#queued.keys()) this.#notify(queued);
    });
    this.#notify(session);
  }

  async #tryRun(session: string, running: Running): Promise<void> {
    const { run, pause } = this.#worker!;
    const { signal } = running.abort;
    let outcome: RunOutcome;
    try {
      // Also larger than those of an earlier process.
      this.#attempt = Math.max(this.#attempt + 1, this.#clock.now());
      outcome = await run({ session, attempt: this.#attempt, signal, pause: pause.signal });
    } catch {
      // The same error would end each attempt: only the next wake runs the session again.
      outcome = { state: 'idle' };
    }
    if (signal.aborted || running.again || outcome.state === 'paused') return;
    if (outcome.state === 'idle') {
      if (this.#timers.of(session) === undefined) this.#stored.remove(session);
      return;
    }
    this.#waiting.set(session, { since: this.#clock.now(), isHeld: outcome.state === 'held' });
    if (outcome.state === 'held') this.#watchHeld();
    else if (outcome.until !== undefined) this.#timers.add(session, outcome.until);
  }

  /** The end of another process is no event. */
  #watchHeld(): void {
    if (this.#isStopping) return;
    this.#stopHeld ??= this.#clock.every(HELD_MS, () => {
      const held = [...this.#waiting].flatMap(([session, { isHeld }]) => (isHeld ? [session] : []));
      for (const session of held) if (!this.#isHeld(session)) this.#add(session);
      if (held.length > 0) return;
      this.#stopHeld?.();
      this.#stopHeld = undefined;
    });
  }

  #notify(session: string): void {
    for (const listener of this.#listeners) listener(session);
  }
}
