import { lstatSync, type Stats } from 'node:fs';
import { hasOwnClock } from '../../file-systems.ts';
import { joinFileName, toFileName } from '../../byte-names.ts';
import { parentOf, type Root } from '../../path-entry.ts';

/** See `Snapshots.changeTimes`. */
export function readChangeTimes(root: Root, paths: readonly string[]): ReadonlyMap<string, number | undefined> {
  const times = new Map<string, number | undefined>();
  if (paths.length === 0 || hasOwnClock(root.path)) return times;
  const folders = new Map<string, number | undefined>();
  /** The last change of the entries of a folder, or of the nearest existing one above it. */
  const ofFolder = (path: string): number | undefined => {
    if (folders.has(path)) return folders.get(path);
    const stat = tryStat(root, path);
    const time = stat?.isDirectory() ? stat.mtimeMs : path === '' ? undefined : ofFolder(parentOf(path));
    folders.set(path, time);
    return time;
  };
  for (const path of paths) {
    const stat = tryStat(root, path);
    times.set(path, stat ? stat.ctimeMs : ofFolder(parentOf(path)));
  }
  return times;
}

/** Undefined also for a path below a file. */
function tryStat(root: Root, path: string): Stats | undefined {
  try {
    return lstatSync(joinFileName(root.path, toFileName(path)), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
