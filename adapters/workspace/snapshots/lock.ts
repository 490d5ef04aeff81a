import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { KlausError, isKlausError } from '@klaus/core/protocol';
import { guarded } from './database.ts';

const POLL_MS = 15;
/** A first snapshot of a large workspace takes minutes; what takes longer is stuck. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Runs `work` while holding the lock of a store: snapshots share it, a restore and a clean-up have it alone. It is
 * the kernel's: a killed process holds nothing. The lock is a transaction on an empty database, so the locking is
 * SQLite's own.
 *
 * @throws KlausError `store.busy`, `cancelled`.
 */
export async function withLock<T>(
  folder: string,
  options: { alone: boolean; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const connection = guarded(folder, () => new DatabaseSync(join(folder, 'lock.db'), { timeout: 0 }));
  try {
    const begin = options.alone ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT 1 FROM sqlite_schema';
    // In memory: a lock writes nothing, so it needs no journal beside it.
    const deadline = performance.now() + PATIENCE_MS;
    for (let first = true; !attempt(folder, connection, first ? `PRAGMA journal_mode = MEMORY; ${begin}` : begin);) {
      if (options.signal?.aborted) throw new KlausError('cancelled', 'The snapshot was cancelled.');
      if (performance.now() > deadline) {
        throw new KlausError('store.busy', `Another process has been working on ${folder} for too long.`, {
          hint: 'Try again later.',
          retryable: true,
        });
      }
      first = false;
      await wait(POLL_MS);
    }
    return await work();
  } finally {
    connection.close();
  }
}

function attempt(folder: string, connection: DatabaseSync, sql: string): boolean {
  try {
    guarded(folder, () => connection.exec(sql));
    return true;
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    if (isKlausError(error) && error.code === 'store.busy') return false;
    throw error;
  }
}
