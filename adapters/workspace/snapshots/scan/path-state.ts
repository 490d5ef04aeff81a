import { lstatSync, type Stats } from 'node:fs';
import type { TreeEntry } from '@klaus/core/protocol';
import { isRace } from '../../race-error.ts';
import { parentOf, type Root } from '../../path-entry.ts';
import { readFile, readLink, type FileReader } from './file-reader.ts';
import type { StatCache } from './stat-cache.ts';
import { withParent } from '../restore/dir-handle.ts';
import { EMPTY, toTreeEntry } from '../tree.ts';

/** The type and metadata of a path, without the content of a directory. */
export interface PathState {
  entry: TreeEntry | null;
  /** True for a socket, a device, a mount or an unreadable file, which a snapshot cannot contain. */
  unsupported: boolean;
  /** Detects later changes; undefined when nothing exists at the path. */
  stat: Stats | undefined;
}

const NOTHING: PathState = { entry: null, unsupported: false, stat: undefined };
export const PERMISSIONS = 0o7777;

/** Reads the state of one path, without following symlinks. Content is read and not content from a cache. */
export async function readPathState(
  root: Root,
  path: string,
  reader: FileReader & { statCache?: StatCache },
): Promise<PathState> {
  const found = await withParent(root, path, async (parent, name): Promise<PathState> => {
    const stat = lstatSync(parent.child(name), { throwIfNoEntry: false });
    if (!stat) return NOTHING;
    if (stat.isDirectory()) {
      const entry = toTreeEntry({ type: 'directory', mode: stat.mode & PERMISSIONS, size: 0, hash: EMPTY });
      return { entry, unsupported: stat.dev !== lstatSync(parent.child('.')).dev, stat };
    }
    if (stat.isSymbolicLink()) {
      const link = readLink(parent, name, reader);
      if (!link) return NOTHING;
      const entry = toTreeEntry({ type: 'symlink', mode: 0, size: link.size, hash: link.hash });
      return { entry, unsupported: false, stat };
    }
    if (!stat.isFile()) return toUnsupported(stat);
    const content = await readFile(parent, name, reader);
    if (content === 'missing') return NOTHING;
    if (content === 'unreadable') return readCached(path, stat, reader.statCache) ?? toUnsupported(stat);
    const { hash, size } = content;
    const entry = toTreeEntry({ type: 'file', mode: content.stat.mode & PERMISSIONS, size, hash });
    return { entry, unsupported: false, stat: content.stat };
  });
  return found ?? NOTHING;
}

/** The cached state of a file that is not readable any more but seems to be unchanged. */
function readCached(path: string, stat: Stats, index: StatCache | undefined): PathState | undefined {
  const seen = index?.get(parentOf(path));
  const name = path.slice(path.lastIndexOf('/') + 1);
  while (seen?.cursor.next()) {
    if (seen.cursor.name !== name) continue;
    const node = seen.cursor.node();
    if (node.type !== 'file' || !seen.isProbablyUnchanged(stat)) return undefined;
    return { entry: { ...toTreeEntry(node), mode: stat.mode & PERMISSIONS }, unsupported: false, stat };
  }
  return undefined;
}

/** An entry with an empty hash, which is not equal to any other. */
function toUnsupported(stat: Stats): PathState {
  return { entry: { type: 'file', hash: '', size: 0, mode: stat.mode & PERMISSIONS }, unsupported: true, stat };
}

/** True when the path has not changed between two checks. */
export function isUnchanged(
  before: Stats | undefined,
  now: Stats | undefined,
  options: { ignoreChangeTime: boolean } = { ignoreChangeTime: false },
): boolean {
  if (!before || !now) return before === now;
  if (before.ino !== now.ino || before.mode !== now.mode) return false;
  // The times of a directory change with its entries.
  if (now.isDirectory()) return true;
  if (before.size !== now.size || before.mtimeMs !== now.mtimeMs) return false;
  return options.ignoreChangeTime || before.ctimeMs === now.ctimeMs;
}

/** The stat of a path, without following symlinks. */
export async function statPath(root: Root, path: string): Promise<Stats | undefined> {
  try {
    return await withParent(root, path, (parent, name) => lstatSync(parent.child(name), { throwIfNoEntry: false }));
  } catch (error) {
    if (isRace(error)) return undefined;
    throw error;
  }
}
