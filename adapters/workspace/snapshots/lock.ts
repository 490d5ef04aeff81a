import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { checkDatabaseFile } from '@klaus/adapters/system';
import { KlausError, isKlausError } from '@klaus/core/protocol';
import { guarded } from './database.ts';

const POLL_MS = 15;
/** Time limit for the lock. The first snapshot of a large workspace takes minutes. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Runs `work` while holding the lock of a store. Snapshots share the lock; a restore and a garbage collection hold it
 * exclusively. The lock is a transaction on an empty SQLite database, and the kernel releases it when a process is killed.
 *
 * @throws KlausError `store.busy`, `cancelled`.
 */
export async function withLock<T>(
  folder: string,
  options: { alone: boolean; signal?: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const file = join(folder, 'lock.db');
  const connection = guarded(folder, () => {
    checkDatabaseFile(file);
    return new DatabaseSync(file, { timeout: 0 });
  });
  try {
    const begin = options.alone ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT 1 FROM sqlite_schema';
    // The journal is in memory, because the lock writes nothing.
    const deadline = performance.now() + PATIENCE_MS;
    for (let first = true; !attempt(folder, connection, first ? `PRAGMA journal_mode = MEMORY; ${begin}` : begin);) {
      if (options.signal?.aborted) throw new KlausError('cancelled', 'The snapshot was cancelled.');
      if (performance.now() > deadline) {
        throw new KlausError('store.busy', `Another process has locked ${folder} for too long.`, {
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
