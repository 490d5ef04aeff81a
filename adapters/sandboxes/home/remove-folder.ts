import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes a folder that no program is using, including read-only folders, such as those in Go's module cache.
 *
 * @throws The system's error for files of other users.
 */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    makeRemovable(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeRemovable(folder: string): void {
  if ((lstatSync(folder).mode & 0o700) !== 0o700) chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeRemovable(join(folder, entry.name));
}
