import type { ChangeMark, Event, Klaus } from '@klaus/sdk';
import type { EmbeddedScheduler, RunAttempt, RunOutcome, RunWorker } from '@klaus/sdk/scheduler';
import type { Log } from '../observability/log.ts';
import { checkFolders } from './check-folders.ts';
import type { SessionQueue } from './session-queue.ts';
import { toRoot } from './session-tree.ts';

export interface RunQueueOptions {
  klaus: Klaus;
  scheduler: EmbeddedScheduler;
  /** Sessions that run at the same time. */
  limit: number;
  log: Log;
}

/** Milliseconds after which a session with an approval that expired, but is not settled, runs again. */
const EXPIRED_MS = 1_000;

/**
 * Runs the sessions of a server. The scheduler decides when; this class knows what a run is, why a session cannot run, and
 * which changes of the store wake a session that waits. It does not touch the runs of other processes.
 * A child session is run by the session that the user opened, so that both continue.
 */
export class RunQueue implements SessionQueue {
  readonly limit: number;
  readonly canMove = true;
  readonly #klaus: Klaus;
  readonly #scheduler: EmbeddedScheduler;
  readonly #log: Log;
  readonly #problems = new Map<string, unknown>();
  readonly #eventListeners = new Set<(event: Event) => void>();
  readonly #stopWatching: () => void;
  readonly #worker: RunWorker;
  #isStopping = false;
  #mark: ChangeMark;

  constructor({ klaus, scheduler, limit, log }: RunQueueOptions) {
    this.#klaus = klaus;
    this.#scheduler = scheduler;
    this.limit = limit;
    this.#log = log;
    this.#mark = klaus.store.view.changedSessions().mark;
    this.#stopWatching = klaus.store.view.watch(() => this.#onChange());
    // What came between the last step of the run and its end is no change for it any more.
    scheduler.onChange((session) => void (scheduler.isWaiting(session) && this.#check(session)));
    this.#worker = scheduler.work((attempt) => this.#run(attempt), { slots: limit });
  }

  async resumeEarlier(): Promise<string[]> {
    const { stored } = this.#scheduler;
    const known = new Set(stored.filter((id) => this.#klaus.store.view.session(id)?.id === id));
    for (const id of stored) await (known.has(id) ? this.add(id) : this.remove(id));
    return [...known];
  }

  async add(id: string): Promise<void> {
    if (this.#isStopping) return;
    const session = this.#rootOf(id);
    if (!this.isRunning(session)) this.#problems.delete(session);
    await this.#scheduler.wake(session, 'command');
  }

  async addNow(session: string): Promise<void> {
    // The run of its parent is no cheap work.
    if (this.#rootOf(session) !== session) return await this.add(session);
    await this.#scheduler.wake(session, 'cancel');
  }

  async remove(session: string): Promise<void> {
    this.#problems.delete(session);
    await this.#scheduler.cancel(session);
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  isRunning(session: string): boolean {
    return this.#scheduler.isRunning(session);
  }

  isHeld(session: string): boolean {
    return this.isRunning(session) || this.#klaus.store.view.isClaimed(session);
  }

  get isBusy(): boolean {
    return this.#scheduler.isBusy;
  }

  positionOf(session: string): number | undefined {
    return this.#scheduler.positionOf(session);
  }

  move(session: string, position: number): void {
    this.#scheduler.move(session, position);
  }

  problemOf(session: string): unknown {
    return this.#problems.get(session);
  }

  get blocked(): string[] {
    return [...this.#problems.keys()];
  }

  get running(): { session: string; since: number }[] {
    return this.#scheduler.running;
  }

  get queued(): { session: string; since: number }[] {
    return this.#scheduler.queued;
  }

  onChange(listener: (session: string) => void): () => void {
    return this.#scheduler.onChange(listener);
  }

  onEvent(listener: (event: Event) => void): void {
    this.#eventListeners.add(listener);
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#stopWatching();
    await this.#worker.stop(timeoutMs);
  }

  async #run({ session, attempt, signal, pause }: RunAttempt): Promise<RunOutcome> {
    const handle = this.#klaus.handle(session);
    const unsubscribe = handle.subscribe(this.#klaus.store.view.head(session)?.seq ?? 0, (event) => {
      for (const listener of this.#eventListeners) listener(event);
    });
    this.#problems.delete(session);
    try {
      await this.#checkFolders(session);
      const { state } = await handle.advance({ signal, pause, attempt });
      if (pause.aborted || signal.aborted) return { state: 'paused' };
      if (state === 'parked') return this.#toWaiting(session);
      return state === 'idle' && !(await handle.isRunnable()) ? { state: 'idle' } : { state: 'held' };
    } catch (error) {
      if (signal.aborted) return { state: 'paused' };
      this.#fail(session, error);
      return { state: 'idle' };
    } finally {
      unsubscribe();
    }
  }

  /** @throws KlausError `workspace.missing`, except for a cancel request, which needs no folder. */
  async #checkFolders(session: string): Promise<void> {
    const { store } = this.#klaus;
    const { view } = store;
    const workspace = view.session(session)?.workspace;
    if (workspace === undefined || view.inbox(session).some(({ type }) => type === 'cancel')) return;
    const [opened] = await store.eventsOf(session, ['session.opened']);
    checkFolders({ workspace, workingCopy: opened?.workingCopy });
  }

  /** A user has to fix the cause. The next command tries again. */
  #fail(session: string, error: unknown): void {
    this.#problems.set(session, error);
    this.#log.error('a session cannot run', { session, error });
  }

  /** Until the first of its approvals expires. */
  #toWaiting(session: string): RunOutcome {
    const { view } = this.#klaus.store;
    if (!this.#scheduler.hasWaiting) this.#mark = view.changedSessions().mark;
    const open = view.approvals({ open: true }).filter((row) => this.#rootOf(row.session) === session);
    if (open.length === 0) return { state: 'waiting' };
    const first = open.reduce((earliest, { expiresAt }) => Math.min(earliest, expiresAt), Infinity);
    const now = Date.now();
    return { state: 'waiting', until: first > now ? first : now + EXPIRED_MS };
  }

  /** A process wrote to the database, such as an answer for a waiting session. */
  #onChange(): void {
    if (!this.#scheduler.hasWaiting) return;
    const { mark, sessions } = this.#klaus.store.view.changedSessions(this.#mark);
    this.#mark = mark;
    const roots = new Set(sessions.map((session) => this.#rootOf(session)));
    for (const session of roots) if (this.#scheduler.isWaiting(session)) void this.#check(session);
  }

  async #check(session: string): Promise<void> {
    if (this.#klaus.store.view.isClaimed(session)) return;
    let isRunnable: boolean;
    try {
      isRunnable = await this.#klaus.handle(session).isRunnable();
    } catch (error) {
      this.#fail(session, error);
      return await this.#scheduler.cancel(session);
    }
    // It may have been added or removed during the query.
    if (isRunnable && this.#scheduler.isWaiting(session)) await this.add(session);
  }

  #rootOf(session: string): string {
    return toRoot(this.#klaus.store.view, session);
  }
}
