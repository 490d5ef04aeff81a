import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, type BigIntStats } from 'node:fs';
import { bestDescriptors, Directory } from '../directory.ts';
import { parentOf, toAncestors } from '../path-entry.ts';
import { codeOf } from '../race-error.ts';

/**
 * File names are bytes on Linux. The code in this folder represents a name as a string with one character per byte, so
 * that every name can be represented. On other systems names are Unicode.
 */
const ENCODING = bestDescriptors() === 'proc' ? 'latin1' : 'utf8';

/** The path of an entry in an open directory, for system calls. */
export function pathOf(directory: Directory, name: string): string | Buffer {
  const path = directory.child(name);
  return ENCODING === 'latin1' ? Buffer.from(path, ENCODING) : path;
}

export function listNames(directory: Directory): string[] {
  return readdirSync(directory.child('.'), { encoding: ENCODING });
}

/** Undefined when the entry does not exist or is not accessible. */
export function statOf(directory: Directory, name: string): BigIntStats | undefined {
  try {
    return lstatSync(pathOf(directory, name), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (['ENOTDIR', 'EACCES'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Opens a directory, without following a symlink, and closes it after `use`. */
export async function within<T>(
  directory: Directory,
  name: string,
  use: (inner: Directory) => Promise<T> | T,
): Promise<T> {
  using inner = new Directory(pathOf(directory, name), `${directory.absolute}/${name}`, bestDescriptors());
  return await use(inner);
}

/** Opens a directory by its absolute path, which is a normal string. */
export function openDirectory(path: string): Directory {
  return new Directory(path, path, bestDescriptors());
}

/** True for `.git` and everything in it. */
export function isGit(path: string): boolean {
  return path.split('/').includes('.git');
}

/**
 * Converts paths to Unicode, sorted, without those that lie below another one. A path that is not valid Unicode is
 * replaced by its nearest valid parent, which represents all of its content; '' is the complete workspace.
 */
export function toTexts(paths: Iterable<string>): string[] {
  const named = new Set<string>();
  for (const path of paths) {
    let nearest = path;
    while (nearest !== '' && !isUtf8(Buffer.from(nearest, ENCODING))) nearest = parentOf(nearest);
    named.add(nearest);
  }
  const isCovered = (path: string) => path !== '' && ['', ...toAncestors(path)].some((above) => named.has(above));
  return [...named]
    .filter((path) => !isCovered(path))
    .map((path) => Buffer.from(path, ENCODING).toString('utf8'))
    .sort();
}
