import { realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { StageFailure } from '../chain/failure.ts';

/** Folders in which the tools work. */
export interface Roots {
  /** Real paths. */
  readonly folders: readonly string[];
  /**
   * The real path of a folder in one of the roots.
   *
   * @param given Absolute, or relative to the first root.
   * @throws StageFailure `workspace.missing`, `workspace.outside`.
   */
  find(given: string): string;
}

/** @throws StageFailure `workspace.missing` for a root that is no folder. */
export function createRoots(given: readonly string[]): Roots {
  const folders = [...new Set(given.map((path) => toFolder(resolve(path))))];
  return {
    folders,
    find(path) {
      const real = toFolder(resolve(folders[0] ?? '/', path));
      if (folders.some((root) => isInside(real, root))) return real;
      throw new StageFailure(
        { stage: 'roots', code: 'workspace.outside' },
        `${path} is not in a folder of this server.`,
        {
          hint: `Use a folder in ${folders.join(', ')}, or start klaus mcp with --root.`,
        },
      );
    },
  };
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function toFolder(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return realpathSync.native(path);
  throw new StageFailure({ stage: 'roots', code: 'workspace.missing' }, `There is no folder ${path}.`);
}
