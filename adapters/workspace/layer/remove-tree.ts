import { chmodSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Directory } from '../directory.ts';
import { Yielder } from '../yielder.ts';
import { listNames, openDirectory, pathOf, statOf, within } from './names.ts';

/** Removes a file or folder by its absolute path, including deep, read-only and invalidly named content. */
export async function removeTree(path: string): Promise<void> {
  using parent = openDirectory(dirname(path));
  await removeEntry(parent, basename(path), new Yielder());
}

/** As {@link removeTree}, for an entry of an open directory. Symlinks are removed, not followed. */
export async function removeEntry(parent: Directory, name: string, yielder: Yielder): Promise<void> {
  const stat = statOf(parent, name);
  if (!stat) return;
  await yielder.yieldIfDue();
  if (!stat.isDirectory()) return unlinkSync(pathOf(parent, name));
  makeWritable(parent, name, Number(stat.mode));
  await within(parent, name, async (folder) => {
    for (const inner of listNames(folder)) await removeEntry(folder, inner, yielder);
  });
  rmdirSync(pathOf(parent, name));
}

/** Gives the owner of a directory all permissions. */
export function makeWritable(parent: Directory, name: string, mode: number): void {
  if ((mode & 0o700) !== 0o700) chmodSync(pathOf(parent, name), (mode & 0o7777) | 0o700);
}

/** Opens a directory, also without permission of its owner, and closes it after `use`. Its mode is restored. */
export async function enter<T>(
  parent: Directory,
  name: string,
  { mode, use }: { mode: number; use: (inner: Directory) => Promise<T> },
): Promise<T> {
  if ((mode & 0o500) === 0o500) return within(parent, name, use);
  makeWritable(parent, name, mode);
  try {
    return await within(parent, name, use);
  } finally {
    chmodSync(pathOf(parent, name), mode & 0o7777);
  }
}
