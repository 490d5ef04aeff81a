import { readdirSync, type Dirent } from 'node:fs';

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
