import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Milliseconds in which writes are told together: one look finds them all. */
const COLLECT_MS = 10;

/**
 * Tells soon after any process wrote to a database in WAL mode, without looking at it again and again. The kernel says
 * so for local disks (inotify and its like); nothing is told where it does not.
 *
 * @param file Of the database.
 * @returns Ends it; undefined where files cannot be watched.
 */
export function watchWrites(file: string, tell: () => void): (() => void) | undefined {
  const names = new Set([`${basename(file)}-wal`, basename(file)]);
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher;
  try {
    watcher = watch(dirname(file), { persistent: false });
  } catch {
    return undefined;
  }
  watcher.on('change', (_, name) => {
    if (typeof name !== 'string' || !names.has(name) || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      tell();
    }, COLLECT_MS).unref();
  });
  // The folder is gone: the looks from time to time go on.
  watcher.on('error', () => watcher.close());
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
