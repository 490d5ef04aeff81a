import { statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { readForeignBytesSync, readForeignFileSync } from '@klaus/adapters/system';
import { toIndexEntries } from '../../git-index/git-index.ts';
import { codeOf } from '../../race-error.ts';

/** Bytes of an index. A larger one may track everything. */
const MAX_INDEX = 512 * 1_024 * 1_024;
const MAX_LINK = 4_096;

interface ReadIndex {
  /** Changes with the file. */
  mark: string;
  /** Sorted; undefined if not all entries can be read. */
  paths: readonly string[] | undefined;
}

/** What Git tracks. An index is read again only after it has changed. */
export class TrackedFiles {
  readonly #read = new Map<string, ReadIndex>();

  /**
   * True if a repository around a folder may track a file in it. Git itself is not used, because it may run programs
   * there. An index that cannot be read, such as a split or sparse one, may track everything.
   *
   * @param folder Absolute path.
   */
  mayBeIn(folder: string): boolean {
    for (let top = dirname(folder); ; top = dirname(top)) {
      if (this.#mayTrack(top, relative(top, folder))) return true;
      if (top === dirname(top)) return false;
    }
  }

  #mayTrack(top: string, path: string): boolean {
    try {
      const index = toIndexFile(top);
      const paths = index === undefined ? [] : this.#paths(index);
      return paths === undefined || hasPath(paths, path);
    } catch (error) {
      // Something that is no folder is above, or the repository cannot be read.
      return codeOf(error) !== 'ENOTDIR';
    }
  }

  #paths(index: string): ReadIndex['paths'] {
    const stat = statSync(index, { throwIfNoEntry: false });
    if (!stat) return [];
    const mark = `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
    const known = this.#read.get(index);
    if (known?.mark === mark) return known.paths;
    const paths = readPaths(index);
    this.#read.set(index, { mark, paths });
    return paths;
  }
}

/** The index of the repository, linked worktree or submodule with this top folder; undefined without one. */
function toIndexFile(top: string): string | undefined {
  const git = join(top, '.git');
  const stat = statSync(git, { throwIfNoEntry: false });
  if (!stat || stat.isDirectory()) return stat && join(git, 'index');
  const { text } = readForeignFileSync(git, { max: MAX_LINK });
  return join(resolve(top, text.replace(/^gitdir:\s*/, '').trimEnd()), 'index');
}

function readPaths(index: string): readonly string[] | undefined {
  try {
    return toIndexEntries(readForeignBytesSync(index, MAX_INDEX))
      ?.map(({ path }) => path)
      .toSorted();
  } catch {
    return undefined;
  }
}

/** True for a path that is one of the sorted ones, or above one. */
function hasPath(sorted: readonly string[], path: string): boolean {
  const at = (first: string): string | undefined => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]! < first) low = middle + 1;
      else high = middle;
    }
    return sorted[low];
  };
  return at(path) === path || at(`${path}/`)?.startsWith(`${path}/`) === true;
}
