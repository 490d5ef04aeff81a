import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { checkKind } from '@klaus/adapters/database-file';

/** SQLite's result code for a locked file, without its extension. Source: https://sqlite.org/rescode.html */
const BUSY = 5;

/**
 * True if a process holds the lock file (see `lockFile`), or locks it now. Loads nothing else. A check is a shared lock:
 * it never looks like a holder to another check, and a process that locks the file waits for its end.
 *
 * @throws NotAFileError
 */
export function probeLock(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return false;
  checkKind(file, stat);
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    connection.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY) return true;
    // It was removed after the check.
    if (!existsSync(file)) return false;
    throw error;
  } finally {
    connection?.close();
  }
}
