import { contains } from '../paths.ts';
import { findRepositories, toIdentity, type Repository } from './repositories.ts';

type Before = readonly (readonly [path: string, identity: string])[];

/**
 * The git folders that a command moved: their new path by the former one. They and the folders above can be renamed, but
 * what is mounted in them cannot be changed.
 *
 * @param before The repositories before the command. The identity of a git folder has no space.
 */
export function findMovedFolders(
  before: Before,
  { root, hidden }: { root: string; hidden: string },
): Map<string, string> {
  const gone = before.filter(([path, identity]) => !identity.includes(' ') && toIdentity(path) !== identity);
  if (gone.length === 0) return new Map();
  const moved = new Map<string, string>();
  for (const isDeep of [false, true]) {
    const found = findRepositories(root, hidden, isDeep).repositories;
    const now = new Map(found.map(({ path, identity }) => [identity, path]));
    for (const [path, identity] of gone) {
      const place = now.get(identity);
      if (place !== undefined) moved.set(path, place);
    }
    if (moved.size === gone.length) break;
  }
  return moved;
}

/** The present path of a path that may be in a moved git folder. */
export function toMovedPath(moved: ReadonlyMap<string, string>, path: string): string {
  for (const [from, to] of moved) if (contains(from, path)) return to + path.slice(from.length);
  return path;
}

/**
 * True for a repository of the user: the same as before at this path, or moved here. A moved `.git` file may name a
 * folder that does not exist.
 */
export function isKnownRepository(
  { path, kind, identity }: Repository,
  { before, moved }: { before: Before; moved: ReadonlyMap<string, string> },
): boolean {
  const [own, target] = splitIdentity(identity);
  return before.some(([place, known]) => {
    if (known === identity) return place === path || known !== '';
    if (kind !== 'file' && kind !== 'link') return false;
    const [inode, named] = splitIdentity(known);
    return inode === own && (target === 'undefined' || (named !== undefined && toMovedPath(moved, named) === target));
  });
}

/** The inode of a `.git` file, and the folder that it names. */
function splitIdentity(identity: string): [inode: string, target: string | undefined] {
  const at = identity.indexOf(' ');
  return at < 0 ? [identity, undefined] : [identity.slice(0, at), identity.slice(at + 1)];
}
