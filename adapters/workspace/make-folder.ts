import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './race-error.ts';

/**
 * Creates a folder that only the user can access, with missing parents. Syncs their parents too, because a power loss
 * would otherwise remove the folder together with synced files in it.
 *
 * @param folder Absolute and normalized.
 */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // A folder without read permission cannot be synced.
    if (!['EACCES', 'EINVAL'].includes(codeOf(error))) throw error;
  }
}
