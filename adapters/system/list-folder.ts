import { lstatSync, readdirSync, statSync, type Dirent } from 'node:fs';

/** Names in a folder; none when it is missing or not readable. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Entries of a folder; none when it is missing or not readable. */
export function listEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** True for a folder and for a link to one. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** True for a folder, and false for a link. */
export function isPlainFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

export function listFolders(folder: string): string[] {
  return listEntries(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
