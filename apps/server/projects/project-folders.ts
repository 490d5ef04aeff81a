import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Most folders that are kept. The oldest is dropped first. */
const MAX = 200;

export type ProjectFolders = ReturnType<typeof openProjectFolders>;

/**
 * Folders that were added as projects, or allowed, in a file. A folder in which a session works is a project without it.
 *
 * @param file Created with the first folder.
 */
export function openProjectFolders(file: string) {
  let folders = read(file);
  const write = (next: readonly string[]): void => {
    folders = next;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify(next), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    /** Absolute real paths, the latest last. */
    list: (): readonly string[] => folders,
    add(path: string): void {
      write([...folders.filter((each) => each !== path), path].slice(-MAX));
    },
    /** False if it was not added. */
    remove(path: string): boolean {
      if (!folders.includes(path)) return false;
      write(folders.filter((each) => each !== path));
      return true;
    },
  };
}

/** Empty without the file, and for one that is damaged: it holds nothing that the user cannot add again. */
function read(file: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
