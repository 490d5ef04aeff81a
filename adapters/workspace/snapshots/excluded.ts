import { lstatSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';

/** Paths of Klaus's own state in a workspace, relative to it. */
export function toExcluded(
  root: string,
  { stateDir, klausHome }: { stateDir: string; klausHome?: string },
): ReadonlySet<string> {
  const own = [stateDir, ...(klausHome === undefined ? [] : [klausHome])];
  return new Set(
    own.flatMap((path) => {
      const inside = relative(root, lstatSync(path, { throwIfNoEntry: false }) ? realpathSync.native(path) : path);
      return inside === '' || inside.startsWith('..') ? [] : [inside];
    }),
  );
}
