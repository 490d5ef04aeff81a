import type { Lease } from '@klaus/core/agent';
import type { Database } from '../database.ts';
import { lockFile, toLockFile } from './file-lock.ts';
import type { FileLock } from './file-lock.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { raiseFence } from '../log/log.ts';

/** The sessions that this store holds. */
export class Leases {
  readonly #home: string;
  readonly #database: Database;
  readonly #commits: GroupCommit;
  readonly #held = new Map<Lease, FileLock>();

  constructor(options: { home: string; database: Database; commits: GroupCommit }) {
    this.#home = options.home;
    this.#database = options.database;
    this.#commits = options.commits;
  }

  /** Undefined while a live process, this one included, holds the session. */
  claim(session: string): Lease | undefined {
    const lock = lockFile(toLockFile(this.#home, session));
    if (!lock) return undefined;
    try {
      const fence = raiseFence(this.#database, session);
      const lease: Lease = { session, fence, release: async () => this.#release(lease) };
      this.#held.set(lease, lock);
      return lease;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** False once the lease is given back. */
  holds(lease: Lease): boolean {
    return this.#held.has(lease);
  }

  releaseAll(): void {
    for (const lease of this.#held.keys()) this.#release(lease);
  }

  #release(lease: Lease): void {
    const lock = this.#held.get(lease);
    if (!lock) return;
    this.#held.delete(lease);
    let remove = false;
    try {
      // What was appended before must be written while the session is still ours.
      this.#commits.flush();
      remove = this.#isOver(lease.session);
    } finally {
      lock.release({ remove });
    }
  }

  /** True when nobody needs the session's lock file any more: it is closed, or has no event. */
  #isOver(session: string): boolean {
    const row = this.#database.get<{ status: string }>('SELECT status FROM sessions WHERE id = ?', session);
    return row === undefined || row.status === 'closed';
  }
}
