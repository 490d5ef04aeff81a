import { isKlausError } from '@klaus/core/protocol';
import type { Database } from '../database.ts';

interface Job {
  /** Runs in the transaction. */
  work(): void;
  /** Called when the transaction is durable. */
  done(): void;
  /** Notifies listeners, after all promises of the group are settled. */
  notify(): void;
  failed(error: unknown): void;
}

/**
 * Collects the writes of one turn of the event loop, over all sessions, and makes them durable with one commit, so that
 * the group waits for the disk once.
 */
export class GroupCommit {
  readonly #database: Database;
  #jobs: Job[] = [];
  #timer: NodeJS.Immediate | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Resolves with what `work` returned once it is durable. When `work` throws, only its own part is undone.
   *
   * @param notify Called after the commit, in the order of the calls.
   */
  run<T>(work: () => T, notify?: (value: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      let value: T;
      this.#jobs.push({
        work: () => void (value = work()),
        done: () => resolve(value),
        notify: () => notify?.(value),
        failed: reject,
      });
      this.#timer ??= setImmediate(() => this.flush());
    });
  }

  flush(): void {
    if (this.#timer) clearImmediate(this.#timer);
    this.#timer = undefined;
    const jobs = this.#jobs;
    if (jobs.length === 0) return;
    this.#jobs = [];
    const written: Job[] = [];
    try {
      this.#database.transaction(() => {
        // A single job needs no savepoint: the transaction is undone with it.
        if (jobs.length === 1) {
          jobs[0]!.work();
          written.push(jobs[0]!);
          return;
        }
        for (const job of jobs) {
          if (this.#write(job)) written.push(job);
        }
      });
    } catch (error) {
      for (const job of jobs) job.failed(error);
      return;
    }
    for (const job of written) job.done();
    for (const job of written) job.notify();
  }

  #write(job: Job): boolean {
    try {
      this.#database.savepoint(() => job.work());
      return true;
    } catch (error) {
      // A full disk or a damaged page fails the entire group; a refused job fails alone.
      if (!this.#database.inTransaction || isFatal(error)) throw error;
      job.failed(error);
      return false;
    }
  }
}

function isFatal(error: unknown): boolean {
  return isKlausError(error) && (error.code === 'store.full' || error.code === 'store.corrupt');
}
