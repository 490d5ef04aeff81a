import { lstatSync, type Stats } from 'node:fs';
import type { TreeEntry } from '@klaus/core/protocol';
import { isRace } from '../../race-error.ts';
import type { Root } from '../../path-entry.ts';
import { readFile, readLink, type FileReader } from './file-reader.ts';
import type { StatCache } from './stat-cache.ts';
import { withParent } from '../restore/dir-handle.ts';
import { EMPTY, toTreeEntry } from '../tree.ts';

/** What stands at a path, without what is in it. */
export interface PathState {
  entry: TreeEntry | null;
  /** True for a socket, a device, a mount or what cannot be read: a state cannot hold it. */
  unsupported: boolean;
  /** By which it is known whether it changed since; undefined when nothing is there. */
  stat: Stats | undefined;
}

const NOTHING: PathState = { entry: null, unsupported: false, stat: undefined };
const PERMISSIONS = 0o7777;

/** Looks at one path; the way to it is never through a symlink. Content is read, not believed from an index. */
export async function readPathState(
  root: Root,
  path: string,
  reader: FileReader & { seen?: StatCache },
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
    const taken = await readFile(parent, name, reader);
    if (taken === 'gone') return NOTHING;
    if (taken === 'unreadable') return readCached(path, stat, reader.seen) ?? toUnsupported(stat);
    const { hash, size } = taken;
    const entry = toTreeEntry({ type: 'file', mode: taken.stat.mode & PERMISSIONS, size, hash });
    return { entry, unsupported: false, stat: taken.stat };
  });
  return found ?? NOTHING;
}

/** A file that cannot be read any more, but seems to be the one that was seen. */
function readCached(path: string, stat: Stats, index: StatCache | undefined): PathState | undefined {
  const slash = path.lastIndexOf('/');
  const seen = index?.get(slash < 0 ? '' : path.slice(0, slash));
  const name = path.slice(slash + 1);
  while (seen?.cursor.next()) {
    if (seen.cursor.name !== name) continue;
    const node = seen.cursor.node();
    if (node.type !== 'file' || !seen.isProbablyUnchanged(stat)) return undefined;
    return { entry: { ...toTreeEntry(node), mode: stat.mode & PERMISSIONS }, unsupported: false, stat };
  }
  return undefined;
}

/** An entry with an empty hash, which equals nothing. */
function toUnsupported(stat: Stats): PathState {
  return { entry: { type: 'file', hash: '', size: 0, mode: stat.mode & PERMISSIONS }, unsupported: true, stat };
}

/** True when nothing happened at the path between two looks. */
export function isUnchanged(
  before: Stats | undefined,
  now: Stats | undefined,
  options: { ignoreChangeTime: boolean } = { ignoreChangeTime: false },
): boolean {
  if (!before || !now) return before === now;
  if (before.ino !== now.ino || before.mode !== now.mode) return false;
  // A directory's times change with what is in it.
  if (now.isDirectory()) return true;
  if (before.size !== now.size || before.mtimeMs !== now.mtimeMs) return false;
  return options.ignoreChangeTime || before.ctimeMs === now.ctimeMs;
}

/** The stat of a path, reached without a symlink. */
export async function statPath(root: Root, path: string): Promise<Stats | undefined> {
  try {
    return await withParent(root, path, (parent, name) => lstatSync(parent.child(name), { throwIfNoEntry: false }));
  } catch (error) {
    if (isRace(error)) return undefined;
    throw error;
  }
}
