import { join } from 'node:path';

/** Locked shared by every process that has the database open, exclusively by recovery. */
export function toUsersFile(home: string): string {
  return join(home, 'klaus.lock');
}
