import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What was not written again for so long is removed. */
const KEPT_MS = 90 * 86_400_000;

/**
 * Keeps a JSON value for later programs, whole or not at all. What cannot be kept, as on a full disk, is found again.
 * Files of the same folder that nobody has kept again for 90 days are removed.
 *
 * @param file Absolute path. Its folder is made for the user alone, and holds nothing else.
 */
export function keepFile(file: string, content: unknown): void {
  const made = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    sweep(dirname(file));
    writeFileSync(made, JSON.stringify(content), { mode: 0o600 });
    renameSync(made, file);
  } catch {
    // A disk without room.
  }
}

function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}
