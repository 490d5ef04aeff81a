import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Parts of a git folder that Git opens at nearly every command. */
const PARTS = ['', 'info', 'objects/info', 'objects/pack'];
const TREES = ['refs', 'logs'];
/** Files of a working tree that Git opens at nearly every command. */
const READ = ['.git', '.gitignore', '.gitattributes', '.gitmodules'];
const MAX_ENTRIES = 50_000;

/**
 * A named pipe or a device where Git would open a file, and would wait permanently.
 *
 * @param given.gitDirs Absolute paths of git folders. @param given.top Top folder of the working tree.
 */
export function findBlockingFile({ top, gitDirs }: { top?: string; gitDirs: readonly string[] }): string | undefined {
  const named = top === undefined ? [] : READ.map((name) => join(top, name));
  for (const path of named) if (isBlocking(path)) return path;
  let left = MAX_ENTRIES;
  const queue = gitDirs.flatMap((folder) => [
    ...PARTS.map((part) => ({ folder: join(folder, part), isTree: false })),
    ...TREES.map((part) => ({ folder: join(folder, part), isTree: true })),
  ]);
  for (const { folder, isTree } of queue) {
    for (const entry of list(folder)) {
      if (left-- === 0) return undefined;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (isTree) queue.push({ folder: path, isTree });
      } else if (!entry.isFile() && isBlocking(path)) return path;
    }
  }
  return undefined;
}

/** Also for a link to such a file. */
function isBlocking(path: string): boolean {
  try {
    const found = statSync(path);
    // A socket cannot be opened, so it blocks nothing; Git has one for its file system monitor.
    return found.isFIFO() || found.isCharacterDevice() || found.isBlockDevice();
  } catch {
    return false;
  }
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
