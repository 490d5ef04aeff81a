import { ERROR_CODES, KlausError, type ChangeMark, type Klaus } from '@klaus/sdk';
import type { WaitingSession } from '@klaus/sdk/cluster';
import type { RunScheduler, WakeReason } from '@klaus/sdk/scheduler';
import type { Log } from '../observability/log.ts';
import type { SessionQueue } from './session-queue.ts';
import { everySecond } from './shared-timer.ts';
import { toRoot } from './session-tree.ts';

/** The workers of a cluster, which run the sessions of a server. */
export interface ServedCluster {
  scheduler: RunScheduler;
  /** All sessions that wait for a worker, the longest first. */
  waiting(): Promise<WaitingSession[]>;
}

export interface ClusterQueueOptions {
  klaus: Klaus;
  cluster: ServedCluster;
  log: Log;
}

/** Milliseconds after a change until the waiting sessions are read again. */
const READ_MS = 250;
/** Positions whose every change is reported. Further back only the beginning and the end of the wait are. */
const REPORTED_POSITIONS = 20;

/**
 * The sessions of a cluster, of which this process runs none: it wakes them, and workers run them. Positions are those by
 * the time of waiting: the order of the scheduler also depends on the shares of projects.
 */
export class ClusterQueue implements SessionQueue {
  readonly limit = 0;
  readonly canMove = false;
  readonly isBusy = false;
  readonly #klaus: Klaus;
  readonly #cluster: ServedCluster;
  readonly #log: Log;
  readonly #listeners = new Set<(session: string) => void>();
  readonly #stopWatching: () => void;
  /** Sessions that can run, in order with their positions, and those that cannot. */
  #queued = new Map<string, { position: number; since: number }>();
  #blocked = new Map<string, KlausError>();
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isStopping = false;
  #mark: ChangeMark;

  constructor({ klaus, cluster, log }: ClusterQueueOptions) {
    this.#klaus = klaus;
    this.#cluster = cluster;
    this.#log = log;
    const { view } = klaus.store;
    this.#mark = view.changedSessions().mark;
    const stop = [
      view.watch(() => this.#onChange()),
      // The begin of a run, the end of its process and a reported problem are no commits.
      everySecond(() => this.#readSoon()),
    ];
    this.#stopWatching = () => stop.forEach((each) => each());
    this.#readSoon();
  }

  async resumeEarlier(): Promise<string[]> {
    return [];
  }

  async add(session: string): Promise<void> {
    await this.#wake(session, 'command');
  }

  async addNow(session: string): Promise<void> {
    await this.#wake(session, 'cancel');
  }

  async remove(session: string): Promise<void> {
    await this.#cluster.scheduler.cancel(session);
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  isRunning(): boolean {
    return false;
  }

  isHeld(session: string): boolean {
    return this.#klaus.store.view.isClaimed(session);
  }

  positionOf(session: string): number | undefined {
    return this.isHeld(session) ? undefined : this.#queued.get(session)?.position;
  }

  move(): void {
    throw new KlausError('usage', 'The workers of a cluster decide in which order sessions run.', {
      hint: 'Give the project of the session a higher priority with `klaus admin projects`.',
    });
  }

  problemOf(session: string): unknown {
    return this.isHeld(session) ? undefined : this.#blocked.get(session);
  }

  get blocked(): string[] {
    return [...this.#blocked.keys()];
  }

  get running(): { session: string; since: number }[] {
    const { view } = this.#klaus.store;
    return view
      .sessions()
      .filter(({ id }) => view.isClaimed(id))
      .map(({ id, updatedAt }) => ({ session: id, since: Date.parse(updatedAt) }));
  }

  get queued(): { session: string; since: number }[] {
    const waiting = [...this.#queued].filter(([session]) => !this.isHeld(session));
    return waiting.map(([session, { since }]) => ({ session, since }));
  }

  onChange(listener: (session: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** No session runs here. */
  onEvent(): void {}

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopWatching();
    clearTimeout(this.#timer);
  }

  /** The command is in the inbox already: a call that fails delays its session until the sweep of a worker. */
  async #wake(session: string, why: WakeReason): Promise<void> {
    if (this.#isStopping) return;
    const root = toRoot(this.#klaus.store.view, session);
    try {
      await this.#cluster.scheduler.wake(root, why);
    } catch (error) {
      this.#log.warn('a session was not woken; a worker will find its command', {
        session: root,
        error: String(error),
      });
    }
  }

  #onChange(): void {
    const { mark, sessions } = this.#klaus.store.view.changedSessions(this.#mark);
    this.#mark = mark;
    for (const session of sessions) this.#report(session);
    this.#readSoon();
  }

  #report(session: string): void {
    for (const listener of this.#listeners) listener(session);
  }

  #readSoon(): void {
    if (this.#isStopping || this.#isReading) return;
    this.#timer ??= setTimeout(() => void this.#read(), READ_MS).unref();
  }

  /** A read that fails because of a lost connection is repeated by the next change or second. */
  async #read(): Promise<void> {
    this.#timer = undefined;
    this.#isReading = true;
    const waiting = await this.#cluster.waiting().catch(() => undefined);
    this.#isReading = false;
    if (!waiting || this.#isStopping) return;
    const before = this.#toFacts();
    const queued = waiting.filter(({ problem }) => !problem);
    this.#queued = new Map(queued.map(({ session, since }, at) => [session, { position: at + 1, since }]));
    const blocked = waiting.flatMap(({ session, problem }) => (problem ? [[session, toError(problem)] as const] : []));
    this.#blocked = new Map(blocked);
    const after = this.#toFacts();
    for (const session of new Set([...before.keys(), ...after.keys()]))
      if (before.get(session) !== after.get(session)) this.#report(session);
  }

  /** What is reported of each waiting session when it changes. */
  #toFacts(): Map<string, number | string> {
    const positions = [...this.#queued].map(
      ([session, { position }]) => [session, Math.min(position, REPORTED_POSITIONS + 1)] as const,
    );
    const problems = [...this.#blocked].map(([session, { message }]) => [session, message] as const);
    return new Map<string, number | string>([...positions, ...problems]);
  }
}

function toError({ code, message, hint }: NonNullable<WaitingSession['problem']>): KlausError {
  return new KlausError(ERROR_CODES.find((known) => known === code) ?? 'internal', message, {
    hint: hint ?? undefined,
  });
}
