import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadProjectFile } from '@klaus/core/policy';

const MAX_BYTES = 1024 * 1024;

/** Reads the files that describe a project, for a plan of its dependencies. Only regular files of at most 1 MiB count. */
export function createProjectReader(root: string): ReadProjectFile {
  return (path) => {
    const file = join(root, path);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > MAX_BYTES) return undefined;
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  };
}
