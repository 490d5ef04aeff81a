import type { Host, Scheduler } from './scheduler.ts';

/** Simulated milliseconds from a commit to the listeners of other processes. */
const DELAY_MS = 20;

/** Notifications about commands in simulated time, for stores that send them in real time. */
export class Notices {
  readonly #scheduler: Scheduler;
  readonly #listeners = new Set<{ host: Host; wake: () => void }>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  listen(host: Host, wake: () => void): () => void {
    const listener = { host, wake };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Call it after a command became durable. */
  sent(): void {
    for (const listener of this.#listeners) {
      const { host, wake } = listener;
      if (!host.isAlive) this.#listeners.delete(listener);
      else this.#scheduler.at(host, DELAY_MS, { label: 'notified', run: wake });
    }
  }
}
