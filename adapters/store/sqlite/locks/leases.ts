import type { Lease } from '@klaus/core/agent';
import type { Database } from '../database.ts';
import { lockFile, toLockFile, type FileLock } from './file-lock.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { raiseFence } from '../log/log.ts';
import { checkNotMoved } from '../transfer/moves.ts';

export function createLeases({ home, database, commits }: { home: string; database: Database; commits: GroupCommit }) {
  const held = new Map<Lease, FileLock>();
  const release = (lease: Lease): void => {
    const lock = held.get(lease);
    if (!lock) return;
    held.delete(lease);
    let remove = false;
    try {
      // Pending appends are written while the lease is still held.
      commits.flush();
      // The lock file of a session that is closed, or has no event, is not needed any more.
      const sql = 'SELECT status FROM sessions WHERE id = ?';
      const row = database.get<{ status: string }>(sql, lease.session);
      remove = row === undefined || row.status === 'closed';
    } finally {
      lock.release({ remove });
    }
  };
  return {
    /**
     * Undefined while a live process, this one included, holds the session.
     *
     * @param options.ofMoved Also a session that does not run here. Default false.
     * @throws KlausError `session.moved`.
     */
    claim(session: string, { ofMoved = false }: { ofMoved?: boolean } = {}): Lease | undefined {
      const lock = lockFile(toLockFile(home, session));
      if (!lock) return undefined;
      try {
        // Under the lock: a session is moved by the process that has it.
        if (!ofMoved) checkNotMoved(database, session);
        const fence = raiseFence(database, session);
        const lease: Lease = { session, fence, release: async () => release(lease) };
        held.set(lease, lock);
        return lease;
      } catch (error) {
        lock.release();
        throw error;
      }
    },
    /** False after the release of the lease. */
    holds: (lease: Lease): boolean => held.has(lease),
    releaseAll(): void {
      for (const lease of held.keys()) release(lease);
    },
  };
}
