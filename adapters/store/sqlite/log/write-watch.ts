import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Milliseconds in which writes are collected into one notification. */
const COLLECT_MS = 10;

/**
 * Notifies soon after any process wrote to a database in WAL mode, without polling. Uses the notifications of the kernel
 * (inotify and the like), which exist for local disks only.
 *
 * @param file Of the database.
 * @returns A function that stops it; undefined where files cannot be watched.
 */
export function watchWrites(file: string, notify: () => void): (() => void) | undefined {
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
      notify();
    }, COLLECT_MS).unref();
  });
  // The folder was deleted. Polling continues.
  watcher.on('error', () => watcher.close());
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
