import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

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
    try {
      syncFolder(dirname(made));
    } catch (error) {
      // A folder without read permission cannot be synced.
      if (!(error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EINVAL')))
        throw error;
    }
    if (made === first || made === dirname(made)) return;
  }
}

/** Makes a rename or a link in the folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
