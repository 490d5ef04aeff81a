import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * True for a file that seems deleted to Git in the sandbox, because its folder is hidden. A commit would delete it.
 *
 * @param root Absolute real path that `path` is relative to.
 */
export function isHiddenFile(root: string, path: string): boolean {
  try {
    const folder = dirname(join(root, path));
    // Behind a link is another file: the tracked one is deleted.
    return (
      realpathSync.native(folder) === folder && lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined
    );
  } catch {
    return false;
  }
}
