import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * True for a file that Git, in the sandbox, takes for deleted while it is there: its folder is hidden whole. To
 * commit that would delete it.
 *
 * @param root Absolute real path of the folder that the path is relative to.
 */
export function isHiddenFile(root: string, path: string): boolean {
  try {
    const folder = dirname(join(root, path));
    // Behind a link lies another file, and the one that Git knows is gone.
    return (
      realpathSync.native(folder) === folder && lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined
    );
  } catch {
    return false;
  }
}
