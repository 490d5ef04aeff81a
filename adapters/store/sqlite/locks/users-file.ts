import { join } from 'node:path';

/** The lock file that every process with an open database shares, and that recovery locks exclusively. */
export function toUsersFile(home: string): string {
  return join(home, 'klaus.lock');
}
