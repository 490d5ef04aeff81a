import type { ChangeMark, Klaus } from '@klaus/sdk';
import type { RunScheduler, WakeReason } from '@klaus/sdk/scheduler';
import type { Log } from '../observability/log.ts';
import type { SessionQueue } from './session-queue.ts';
import { toRoot } from './session-tree.ts';

export interface ClusterQueueOptions {
  klaus: Klaus;
  scheduler: RunScheduler;
  log: Log;
}

/**
 * The sessions of a cluster, of which this process runs none: it wakes them, and workers run them. What the scheduler
 * does not know here is undefined: positions, and why a session cannot run.
 */
export class ClusterQueue implements SessionQueue {
  readonly limit = 0;
  readonly isBusy = false;
  readonly blocked: string[] = [];
  readonly #klaus: Klaus;
  readonly #scheduler: RunScheduler;
  readonly #log: Log;
  readonly #listeners = new Set<(session: string) => void>();
  readonly #stopWatching: () => void;
  #isStopping = false;
  #mark: ChangeMark;

  constructor({ klaus, scheduler, log }: ClusterQueueOptions) {
    this.#klaus = klaus;
    this.#scheduler = scheduler;
    this.#log = log;
    const { view } = klaus.store;
    this.#mark = view.changedSessions().mark;
    this.#stopWatching = view.watch(() => this.#onChange());
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
    await this.#scheduler.cancel(session);
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

  positionOf(): undefined {}

  move(): void {}

  problemOf(): undefined {}

  get running(): { session: string; since: number }[] {
    const { view } = this.#klaus.store;
    return view
      .sessions()
      .filter(({ id }) => view.isClaimed(id))
      .map(({ id, updatedAt }) => ({ session: id, since: Date.parse(updatedAt) }));
  }

  get queued(): { session: string; since: number }[] {
    const { view } = this.#klaus.store;
    return view
      .sessions()
      .filter(({ id }) => !view.isClaimed(id) && view.inbox(id).length > 0)
      .map(({ id, updatedAt }) => ({ session: id, since: Date.parse(updatedAt) }));
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
  }

  /** The command is in the inbox already: a call that fails delays its session until the sweep of a worker. */
  async #wake(session: string, why: WakeReason): Promise<void> {
    if (this.#isStopping) return;
    const root = toRoot(this.#klaus.store.view, session);
    try {
      await this.#scheduler.wake(root, why);
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
    for (const session of sessions) for (const listener of this.#listeners) listener(session);
  }
}
