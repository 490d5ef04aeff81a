import type { Database } from './database.ts';
import { type FileLock, shareFile, toUsersFile } from './locks/file-lock.ts';
import { openDatabase, prepareHome, toDatabaseFile } from './open-database.ts';

/**
 * Opens the database of a state folder, and keeps it from being recovered until `users` is released.
 *
 * @throws KlausError as `openDatabase`, and `store.busy` while it is being recovered.
 */
export function openShared(home: string): { database: Database; users: FileLock } {
  prepareHome(home);
  const users = shareFile(toUsersFile(home));
  try {
    return { database: openDatabase(toDatabaseFile(home)), users };
  } catch (error) {
    users.release();
    throw error;
  }
}
