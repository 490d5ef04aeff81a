import { lstatSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';

/** As many links as the system follows. @source man 7 path_resolution */
const MAX_LINKS = 40;
const STICKY = 0o1000;

/**
 * The first part of a path that another user could replace: one that is neither yours nor of the administrator, or a folder
 * that others may write and in which they may rename what is not theirs. Links are followed and judged as well.
 *
 * @param path Absolute. What does not exist yet is not judged.
 * @returns Undefined if there is none, and on systems without owners.
 */
export function findForeignPart(path: string): string | undefined {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  // The owner of the root folder is the administrator, whose id can differ in a container.
  const owners = new Set([own, 0, statSync('/').uid]);
  const pending = toNames(path);
  let folder = '/';
  for (let links = 0; pending.length > 0;) {
    const name = pending.shift()!;
    if (name === '..') {
      folder = dirname(folder);
      continue;
    }
    const at = join(folder, name);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (!owners.has(stat.uid) || (stat.isDirectory() && isOpen(stat))) return at;
    // Nothing is in a file.
    if (!stat.isSymbolicLink() && !stat.isDirectory()) return undefined;
    if (!stat.isSymbolicLink()) {
      folder = at;
      continue;
    }
    if (++links > MAX_LINKS) return at;
    const target = readlinkSync(at);
    if (target.startsWith('/')) folder = '/';
    pending.unshift(...toNames(target));
  }
  return undefined;
}

function toNames(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

/** True for a folder in which others may rename and replace entries. Your own group is no other. */
function isOpen({ mode, gid }: Stats): boolean {
  if ((mode & STICKY) !== 0) return false;
  const isOfGroup = (mode & 0o020) !== 0 && gid !== process.getgid?.() && gid !== 0;
  return (mode & 0o002) !== 0 || isOfGroup;
}
