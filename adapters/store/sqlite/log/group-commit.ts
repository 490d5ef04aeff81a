import { isKlausError } from '@klaus/core/protocol';
import type { Database } from '../database.ts';

interface Job {
  /** Runs in the transaction. */
  work(): void;
  /** The transaction is durable. */
  done(): void;
  /** Tells those who listen, after every promise of the group is settled. */
  tell(): void;
  failed(error: unknown): void;
}

/**
 * Collects what is to be written in one turn of the event loop, over all sessions, and makes it durable
 * with one commit: the wait for the disk is paid once for the group.
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
   * @param tell Called after the commit, in the order of the calls.
   */
  run<T>(work: () => T, tell: (value: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      let value: T;
      this.#jobs.push({
        work: () => void (value = work()),
        done: () => resolve(value),
        tell: () => tell(value),
        failed: reject,
      });
      this.#timer ??= setImmediate(() => this.flush());
    });
  }

  /** Commits now what is waiting. */
  flush(): void {
    if (this.#timer) clearImmediate(this.#timer);
    this.#timer = undefined;
    const jobs = this.#jobs;
    if (jobs.length === 0) return;
    this.#jobs = [];
    const written: Job[] = [];
    try {
      this.#database.transaction(() => {
        // A job that is alone needs no part of its own: the transaction is undone with it.
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
    for (const job of written) job.tell();
  }

  #write(job: Job): boolean {
    try {
      this.#database.savepoint(() => job.work());
      return true;
    } catch (error) {
      // A full disk or a damaged page spoils the whole group; a refused job only itself.
      if (!this.#database.inTransaction || isFatal(error)) throw error;
      job.failed(error);
      return false;
    }
  }
}

function isFatal(error: unknown): boolean {
  return isKlausError(error) && (error.code === 'store.full' || error.code === 'store.corrupt');
}
