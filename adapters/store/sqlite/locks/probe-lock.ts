import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's result code for a locked file, without its extension. Source: https://sqlite.org/rescode.html */
const BUSY = 5;
/** Milliseconds. The holder of a lock keeps it for much longer. */
const PROBE_MS = 5;

/**
 * True if a process holds the lock file (see `lockFile`). Loads nothing else, and hinders no process that wants to lock
 * the file for longer than the check.
 */
export function probeLock(file: string): boolean {
  if (!existsSync(file)) return false;
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(file, { readOnly: true, timeout: PROBE_MS });
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
