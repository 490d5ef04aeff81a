import type { ChangeMark, Event, Klaus } from '@klaus/sdk';
import type { Log } from '../observability/log.ts';
import { openStoredQueue, type StoredQueue } from './stored-queue.ts';
import { checkFolders, type SessionFolders } from './check-folders.ts';
import { toRoot } from './session-tree.ts';
import { everySecond } from './shared-timer.ts';

export interface RunQueueOptions {
  klaus: Klaus;
  limit: number;
  /** Folder in which the sessions and their order are stored. */
  folder: string;
  log: Log;
}

interface Running {
  since: number;
  /** A command was sent during the run: check for work again. */
  again: boolean;
  ended: Promise<void>;
}

/**
 * Runs sessions: up to a limit at the same time, the others in order of arrival. The ids of its sessions are on disk
 * until nothing is left to do, so that the next server can resume them in the same order. It does not touch the runs of other processes.
 * A child session is run by the session that the user opened, so that both continue.
 */
export class RunQueue {
  readonly limit: number;
  readonly #klaus: Klaus;
  readonly #stored: StoredQueue;
  readonly #log: Log;
  readonly #running = new Map<string, Running>();
  /** Queued sessions with the time at which they were added. */
  readonly #waiting = new Map<string, number>();
  /** Sessions that wait for an approval, or for the process that holds them. */
  readonly #idle = new Map<string, 'parked' | 'busy'>();
  readonly #problems = new Map<string, unknown>();
  readonly #listeners = new Set<(session: string) => void>();
  readonly #eventListeners = new Set<(event: Event) => void>();
  readonly #pause = new AbortController();
  readonly #abort = new AbortController();
  readonly #stops: (() => void)[] = [];
  #mark: ChangeMark;

  constructor({ klaus, limit, folder, log }: RunQueueOptions) {
    this.#klaus = klaus;
    this.limit = limit;
    this.#stored = openStoredQueue(folder);
    this.#log = log;
    this.#mark = klaus.store.view.changedSessions().mark;
    this.#stops.push(
      // Neither the end of a process nor the expiry of an approval is a commit.
      everySecond(() => this.#tick()),
      klaus.store.view.watch(() => this.#onChange()),
    );
  }

  /** Adds the sessions of an earlier server. Returns their ids. */
  resumeEarlier(): string[] {
    const ids = this.#stored.list().filter((id) => this.#klaus.store.view.session(id)?.id === id);
    for (const id of ids) this.add(id);
    return ids;
  }

  /** Runs a session as soon as the limit allows, until nothing is left to do. */
  add(id: string): void {
    if (this.#pause.signal.aborted) return;
    const session = this.#rootOf(id);
    const running = this.#running.get(session);
    if (!this.#waiting.has(session) && !(running && this.#stored.has(session))) this.#stored.add(session);
    if (running) {
      running.again = true;
      return;
    }
    this.#idle.delete(session);
    this.#problems.delete(session);
    if (!this.#waiting.has(session)) this.#waiting.set(session, Date.now());
    this.#fill();
    this.#notify(session);
  }

  /** Runs a session immediately, regardless of the limit: for cheap work, such as a cancel request. */
  addNow(session: string): void {
    // The run of its parent is no cheap work.
    if (this.#rootOf(session) !== session) return this.add(session);
    this.#waiting.delete(session);
    if (this.#running.has(session)) this.add(session);
    else this.#start(session);
  }

  /** Forgets a session, before it is deleted. */
  remove(session: string): void {
    this.#waiting.delete(session);
    this.#idle.delete(session);
    this.#problems.delete(session);
    this.#release(session);
  }

  /** True after `stop`. Runs that are paused then resume with the next server. */
  get isStopping(): boolean {
    return this.#pause.signal.aborted;
  }

  isRunning(session: string): boolean {
    return this.#running.has(session);
  }

  /** True while a process works on the session, this one or another one. */
  isHeld(session: string): boolean {
    return this.#running.has(session) || this.#klaus.store.view.isClaimed(session);
  }

  /** True while a session runs, is queued, or waits for the process that holds it. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.#waiting.size > 0 || [...this.#idle.values()].includes('busy');
  }

  /** From 1. */
  positionOf(session: string): number | undefined {
    const at = [...this.#waiting.keys()].indexOf(session);
    return at < 0 ? undefined : at + 1;
  }

  /** Moves a waiting session to another position, from 1. Does nothing for others. */
  move(session: string, position: number): void {
    const since = this.#waiting.get(session);
    if (since === undefined) return;
    this.#waiting.delete(session);
    const others = [...this.#waiting];
    this.#waiting.clear();
    for (const [id, at] of others.toSpliced(position - 1, 0, [session, since])) this.#waiting.set(id, at);
    this.#stored.order([...this.#waiting.keys()]);
    for (const id of this.#waiting.keys()) this.#notify(id);
  }

  /** The error that prevents the session from running; undefined without one. */
  problemOf(session: string): unknown {
    return this.#problems.get(session);
  }

  /** The sessions that cannot run. */
  get blocked(): string[] {
    return [...this.#problems.keys()];
  }

  get running(): { session: string; since: number }[] {
    return [...this.#running].map(([session, { since }]) => ({ session, since }));
  }

  get queued(): { session: string; since: number }[] {
    return [...this.#waiting].map(([session, since]) => ({ session, since }));
  }

  /** Calls the listener when the position or state of a session changed. */
  onChange(listener: (session: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listener with every event of the sessions that run here. */
  onEvent(listener: (event: Event) => void): void {
    this.#eventListeners.add(listener);
  }

  /**
   * Starts no further run, waits for the current step of each run, and aborts the steps after the time-out. The next
   * server resumes the runs. Idempotent.
   */
  async stop(timeoutMs: number): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#pause.abort();
    const timer = setTimeout(() => this.#abort.abort(), timeoutMs);
    await Promise.allSettled([...this.#running.values()].map(({ ended }) => ended));
    clearTimeout(timer);
  }

  #fill(): void {
    for (const session of this.#waiting.keys()) {
      if (this.#running.size >= this.limit) return;
      this.#waiting.delete(session);
      this.#start(session);
    }
  }

  #start(session: string): void {
    const running: Running = { since: Date.now(), again: false, ended: Promise.resolve() };
    this.#running.set(session, running);
    running.ended = this.#work(session, running).finally(() => {
      this.#running.delete(session);
      if (running.again) this.add(session);
      if (!this.#pause.signal.aborted) this.#fill();
      this.#notify(session);
      for (const waiting of this.#waiting.keys()) this.#notify(waiting);
    });
    this.#notify(session);
  }

  async #work(session: string, running: Running): Promise<void> {
    const handle = this.#klaus.handle(session);
    const unsubscribe = handle.subscribe(this.#klaus.store.view.head(session)?.seq ?? 0, (event) => {
      for (const listener of this.#eventListeners) listener(event);
    });
    try {
      this.#checkFolders(session);
      const signals = { signal: this.#abort.signal, pause: this.#pause.signal };
      const result = await handle.advance(signals);
      if (this.#pause.signal.aborted || running.again) return;
      const isDone = result.state === 'idle' && !(await handle.isRunnable());
      // It may have been added again during the query.
      if (running.again) return;
      if (isDone) this.#release(session);
      else await this.#wait(session, result.state === 'parked' ? 'parked' : 'busy');
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#fail(session, error);
    } finally {
      unsubscribe();
    }
  }

  /** @throws KlausError `workspace.missing`, except for a cancel request, which needs no folder. */
  #checkFolders(session: string): void {
    const { view } = this.#klaus.store;
    const workspace = view.session(session)?.workspace;
    if (workspace === undefined || view.inbox(session).some(({ type }) => type === 'cancel')) return;
    const opened: (Pick<SessionFolders, 'workingCopy'> & { type: string }) | undefined = view.eventsOf(session, [
      'session.opened',
    ])[0];
    checkFolders({ workspace, workingCopy: opened?.workingCopy });
  }

  /** A user has to fix the cause. The next command tries again. */
  #fail(session: string, error: unknown): void {
    this.#problems.set(session, error);
    this.#release(session);
    this.#log.error('a session cannot run', { session, error });
  }

  #release(session: string): void {
    this.#stored.remove(session);
  }

  /** Waits for a change of the session, including those since the last check. */
  async #wait(session: string, reason: 'parked' | 'busy'): Promise<void> {
    if (this.#idle.size === 0) this.#mark = this.#klaus.store.view.changedSessions().mark;
    this.#idle.set(session, reason);
    if (reason === 'parked' && (await this.#klaus.handle(session).isRunnable())) this.add(session);
  }

  /** A process wrote to the database, such as an answer for a waiting session. */
  #onChange(): void {
    if (this.#idle.size === 0) return;
    const { mark, sessions } = this.#klaus.store.view.changedSessions(this.#mark);
    this.#mark = mark;
    const roots = new Set(sessions.map((session) => this.#rootOf(session)));
    for (const session of roots) if (this.#idle.has(session)) void this.#check(session);
  }

  #tick(): void {
    const now = Date.now();
    const expired = new Set(
      this.#klaus.store.view
        .approvals({ open: true })
        .flatMap((row) => (row.expiresAt <= now ? [this.#rootOf(row.session)] : [])),
    );
    for (const [session, reason] of this.#idle)
      if (reason === 'busy' || expired.has(session)) void this.#check(session);
  }

  async #check(session: string): Promise<void> {
    if (this.#klaus.store.view.isClaimed(session)) return;
    let isRunnable: boolean;
    try {
      isRunnable = await this.#klaus.handle(session).isRunnable();
    } catch (error) {
      this.#idle.delete(session);
      this.#fail(session, error);
      return this.#notify(session);
    }
    // It may have been added or removed during the query.
    if (!this.#idle.has(session)) return;
    if (isRunnable) this.add(session);
    else if (this.#idle.get(session) === 'busy') {
      const open = this.#klaus.store.view.approvals({ open: true });
      if (open.some((row) => this.#rootOf(row.session) === session)) return;
      this.#idle.delete(session);
      this.#release(session);
      this.#notify(session);
    }
  }

  #rootOf(session: string): string {
    return toRoot(this.#klaus.store.view, session);
  }

  #notify(session: string): void {
    for (const listener of this.#listeners) listener(session);
  }
}
