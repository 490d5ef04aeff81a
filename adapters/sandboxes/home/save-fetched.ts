import { lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOwnCaches, walkCache, type FoundCache } from './user-caches.ts';

/**
 * Moves the cache entries of a session that ran only downloads into the workspace's cache, which later homes get.
 * Existing files are replaced.
 *
 * @param folder The session's home, and its caches at other paths.
 * @param fetched Folder of the workspace that only Klaus writes.
 * @returns Number of moved entries.
 */
export function saveFetched(folder: { home: string; places: string }, fetched: string): number {
  let kept = 0;
  for (const cache of [...findOwnCaches(folder.places), ...findOwnCaches(folder.home)])
    for (const entry of walkCache(cache)) if (saveEntry(cache, entry, fetched)) kept++;
  return kept;
}

function saveEntry(cache: FoundCache, { path, link }: { path: string; link?: string }, fetched: string): boolean {
  const source = join(cache.folder, path);
  const target = join(fetched, cache.path, cache.part, path);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  try {
    if (link === undefined) renameSync(source, target);
    else if (!lstatSync(target, { throwIfNoEntry: false })) symlinkSync(readlinkSync(source), target);
    return true;
  } catch {
    // An existing folder, or a file at the path of an existing folder.
    return false;
  }
}
