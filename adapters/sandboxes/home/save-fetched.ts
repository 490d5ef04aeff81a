import { lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOwnCaches, walkCache, type FoundCache } from './user-caches.ts';

/**
 * Takes over what a session that ran nothing but downloads put into its caches: later homes of the workspace begin
 * with it. An entry that is there already is replaced where it is a file.
 *
 * @param folder Of the session: its home, and its caches at other places.
 * @param fetched Folder of the workspace that only Klaus writes.
 * @returns How many entries were taken over.
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
    // A folder that is there already, or a file where another version had a folder.
    return false;
  }
}
