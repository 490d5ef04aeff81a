import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeMark, Event, Klaus } from '@klaus/sdk';
import type { Log } from '../observability/log.ts';
import { onTick } from './shared-timer.ts';

export interface RunQueueOptions {
  klaus: Klaus;
  /** Sessions worked on at the same time. */
  limit: number;
  /** Folder in which it keeps the names of the sessions that it is responsible for. */
  folder: string;
  log: Log;
}

interface Running {
  since: number;
  /** Something was sent while it ran: it looks once more. */
  again: boolean;
  ended: Promise<void>;
}

/**
 * Works on sessions, some at the same time and the others in order of arrival. What it was asked to work on it keeps
 * on disk until nothing is left to do there, so that the next server goes on with it. It leaves the runs of other
 * processes alone.
 */
export class RunQueue {
  readonly limit: number;
  readonly #klaus: Klaus;
  readonly #folder: string;
  readonly #log: Log;
  readonly #running = new Map<string, Running>();
  /** Waiting for a place, with the time since when. */
  readonly #waiting = new Map<string, number>();
  /** Its own sessions that wait for an answer, or for the process that holds them. */
  readonly #resting = new Map<string, 'parked' | 'busy'>();
  readonly #problems = new Map<string, unknown>();
  readonly #listeners = new Set<(session: string) => void>();
  readonly #watchers = new Set<(event: Event) => void>();
  readonly #pause = new AbortController();
  readonly #leave = new AbortController();
  readonly #stops: (() => void)[] = [];
  #mark: ChangeMark;

  constructor({ klaus, limit, folder, log }: RunQueueOptions) {
    this.#klaus = klaus;
    this.limit = limit;
    this.#folder = folder;
    this.#log = log;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#mark = klaus.store.view.changedSessions().mark;
    this.#stops.push(
      // A process that is gone is no commit, and neither is a question whose time is over.
      onTick(() => this.#tick()),
      klaus.store.view.watch(() => this.#onChange()),
    );
  }

  /** Takes over what an earlier server was responsible for. Returns the ids of the sessions. */
  takeOver(): string[] {
    const ids = readdirSync(this.#folder).filter((id) => this.#klaus.store.view.session(id)?.id === id);
    for (const id of ids) this.add(id);
    return ids;
  }

  /** Works on a session when there is a place, until nothing is left to do. */
  add(session: string): void {
    if (this.#pause.signal.aborted) return;
    writeFileSync(join(this.#folder, session), '', { mode: 0o600 });
    const running = this.#running.get(session);
    if (running) {
      running.again = true;
      return;
    }
    this.#resting.delete(session);
    this.#problems.delete(session);
    if (!this.#waiting.has(session)) this.#waiting.set(session, Date.now());
    this.#fill();
    this.#tell(session);
  }

  /** The same at once, also beyond the limit: for what costs nothing, such as the wish to stop. */
  addNow(session: string): void {
    this.#waiting.delete(session);
    if (this.#running.has(session)) this.add(session);
    else this.#start(session);
  }

  /** Forgets a session, before it is deleted. */
  remove(session: string): void {
    this.#waiting.delete(session);
    this.#resting.delete(session);
    this.#problems.delete(session);
    this.#release(session);
  }

  /** True once it was told to stop: what stands still then goes on with the next server. */
  get isStopping(): boolean {
    return this.#pause.signal.aborted;
  }

  isRunning(session: string): boolean {
    return this.#running.has(session);
  }

  /** From 1. */
  positionOf(session: string): number | undefined {
    const at = [...this.#waiting.keys()].indexOf(session);
    return at < 0 ? undefined : at + 1;
  }

  /** What was thrown when it could not be worked on; undefined where nothing was. */
  problemOf(session: string): unknown {
    return this.#problems.get(session);
  }

  get running(): { session: string; since: number }[] {
    return [...this.#running].map(([session, { since }]) => ({ session, since }));
  }

  get queued(): { session: string; since: number }[] {
    return [...this.#waiting].map(([session, since]) => ({ session, since }));
  }

  /** Calls the listener when the place of a session changed. */
  onChange(listener: (session: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the watcher with every event of the sessions that are worked on here. */
  onEvent(watcher: (event: Event) => void): void {
    this.#watchers.add(watcher);
  }

  /**
   * Begins nothing more, lets each run end its present step, and cuts off what is not done in time. What is left
   * goes on with the next server. Idempotent.
   *
   * @param timeoutMs For the steps.
   */
  async stop(timeoutMs: number): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#pause.abort();
    const timer = setTimeout(() => this.#leave.abort(), timeoutMs);
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
      this.#tell(session);
      for (const waiting of this.#waiting.keys()) this.#tell(waiting);
    });
    this.#tell(session);
  }

  async #work(session: string, running: Running): Promise<void> {
    const handle = this.#klaus.handle(session);
    const unsubscribe = handle.subscribe(this.#klaus.store.view.head(session)?.seq ?? 0, (event) => {
      for (const watcher of this.#watchers) watcher(event);
    });
    try {
      const signals = { signal: this.#leave.signal, pause: this.#pause.signal };
      const result = await handle.advance(signals);
      if (this.#pause.signal.aborted || running.again) return;
      if (result.state === 'idle' && !(await handle.isRunnable())) this.#release(session);
      else await this.#rest(session, result.state === 'parked' ? 'parked' : 'busy');
    } catch (error) {
      if (this.#leave.signal.aborted) return;
      // What is wrong has to be mended by somebody; the next thing that is sent tries again.
      this.#problems.set(session, error);
      this.#release(session);
      this.#log.error('a session could not be worked on', { session, error });
    } finally {
      unsubscribe();
    }
  }

  #release(session: string): void {
    rmSync(join(this.#folder, session), { force: true });
  }

  /** Waits for something to happen to a session; what happened a moment ago counts. */
  async #rest(session: string, why: 'parked' | 'busy'): Promise<void> {
    if (this.#resting.size === 0) this.#mark = this.#klaus.store.view.changedSessions().mark;
    this.#resting.set(session, why);
    if (why === 'parked' && (await this.#klaus.handle(session).isRunnable())) this.add(session);
  }

  /** Something was written by some process: an answer to a session that rests here, perhaps. */
  #onChange(): void {
    if (this.#resting.size === 0) return;
    const { mark, sessions } = this.#klaus.store.view.changedSessions(this.#mark);
    this.#mark = mark;
    for (const session of sessions) if (this.#resting.has(session)) void this.#look(session);
  }

  #tick(): void {
    const now = Date.now();
    const late = new Set(
      this.#klaus.store.view.approvals({ open: true }).flatMap((row) => (row.expiresAt <= now ? [row.session] : [])),
    );
    for (const [session, why] of this.#resting) if (why === 'busy' || late.has(session)) void this.#look(session);
  }

  async #look(session: string): Promise<void> {
    if (this.#klaus.store.view.isClaimed(session)) return;
    const isRunnable = await this.#klaus.handle(session).isRunnable();
    // It may have been added or removed during the query.
    if (!this.#resting.has(session)) return;
    if (isRunnable) this.add(session);
    else if (this.#resting.get(session) === 'busy' && !this.#hasQuestion(session)) {
      this.#resting.delete(session);
      this.#release(session);
      this.#tell(session);
    }
  }

  #hasQuestion(session: string): boolean {
    return this.#klaus.store.view.approvals({ open: true, session }).length > 0;
  }

  #tell(session: string): void {
    for (const listener of this.#listeners) listener(session);
  }
}
