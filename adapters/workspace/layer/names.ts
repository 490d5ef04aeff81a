import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, type BigIntStats } from 'node:fs';
import { bestDescriptors, Directory } from '../directory.ts';
import { codeOf } from '../race-error.ts';

/**
 * File names are bytes on Linux. In this folder a name is a string with one character per byte, so that every
 * name survives; elsewhere names are Unicode anyway.
 */
const ENCODING = bestDescriptors() === 'proc' ? 'latin1' : 'utf8';

/** What the system calls take: a place below an open directory. */
export function pathOf(directory: Directory, name: string): string | Buffer {
  const path = directory.child(name);
  return ENCODING === 'latin1' ? Buffer.from(path, ENCODING) : path;
}

export function listNames(directory: Directory): string[] {
  return readdirSync(directory.child('.'), { encoding: ENCODING });
}

/** Undefined when nothing is there, or nothing that may be looked at. */
export function statOf(directory: Directory, name: string): BigIntStats | undefined {
  try {
    return lstatSync(pathOf(directory, name), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (['ENOTDIR', 'EACCES'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Opens a directory for the time of `use`. Never follows a symlink. */
export async function within<T>(
  directory: Directory,
  name: string,
  use: (inner: Directory) => Promise<T> | T,
): Promise<T> {
  const inner = new Directory(pathOf(directory, name), `${directory.absolute}/${name}`, bestDescriptors());
  try {
    return await use(inner);
  } finally {
    inner.close();
  }
}

/** Opens a directory by its absolute path, which is ordinary text. */
export function openDirectory(path: string): Directory {
  return new Directory(path, path, bestDescriptors());
}

export function joinNames(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** True for `.git` and everything below one. */
export function isGit(path: string): boolean {
  return path.split('/').includes('.git');
}

/**
 * Paths as text, sorted, without what lies below another one of them. A name that is no Unicode cannot be said:
 * the nearest folder that can is named instead, which stands for everything below it; '' is the whole workspace.
 */
export function toTexts(paths: Iterable<string>): string[] {
  const named = new Set<string>();
  for (const path of paths) {
    let nearest = path;
    while (nearest !== '' && !isUtf8(Buffer.from(nearest, ENCODING))) nearest = parentOf(nearest);
    named.add(nearest);
  }
  const isCovered = (path: string) => {
    for (let at = path; at !== '';) {
      at = parentOf(at);
      if (named.has(at)) return true;
    }
    return false;
  };
  return [...named]
    .filter((path) => !isCovered(path))
    .map((path) => Buffer.from(path, ENCODING).toString('utf8'))
    .sort();
}

/** '' for what lies in the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
