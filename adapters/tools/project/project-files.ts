import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readForeignFileSync } from '@klaus/adapters/system';
import type { ReadProjectFile } from '@klaus/core/policy';

const MAX_BYTES = 1024 * 1024;

/** Reads the files that describe a project, for a plan of its dependencies. Only regular files of at most 1 MiB count, and no links. */
export function createProjectReader(root: string): ReadProjectFile {
  return (path) => {
    const file = join(root, path);
    if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
    try {
      return readForeignFileSync(file, { max: MAX_BYTES }).text;
    } catch {
      return undefined;
    }
  };
}
