import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Milliseconds after which an unused file is deleted. */
const MAX_AGE_MS = 90 * 86_400_000;

/**
 * Writes a JSON value to a cache file atomically. Failures, such as a full disk, are ignored. Deletes files of the folder
 * that were not written for 90 days.
 *
 * @param file Absolute path. Its folder is created for this user only, and must have no other files.
 */
export function writeCacheFile(file: string, content: unknown): void {
  const temporary = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    deleteOld(dirname(file));
    writeFileSync(temporary, JSON.stringify(content), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // The value is computed again.
  }
}

function deleteOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > MAX_AGE_MS) rmSync(path, { force: true });
  }
}
