import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files and folders of a folder that is no project of usual size. */
const MAX_ENTRIES = 50_000;
/** Milliseconds after which the count stops: the start does not wait for it. */
const MAX_MS = 500;

/**
 * True for a folder outside of any repository that has very many files, such as one with all projects or downloads. A
 * repository, or a folder of it, is what its user works on, however large it is.
 *
 * @param options.max Default 50,000 entries.
 */
export function isLargeFolder(folder: string, { max = MAX_ENTRIES }: { max?: number } = {}): boolean {
  if (isInRepository(folder)) return false;
  const until = performance.now() + MAX_MS;
  const open = [folder];
  let entries = 0;
  for (let next = open.shift(); next !== undefined && entries <= max; next = open.shift()) {
    if (performance.now() > until) return false;
    for (const entry of listEntries(next)) {
      entries += 1;
      if (entry.isDirectory()) open.push(join(next, entry.name));
    }
  }
  return entries > max;
}

function isInRepository(folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(folder, '.git')) || (above !== folder && isInRepository(above));
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that cannot be read is none that a session stores.
    return [];
  }
}
