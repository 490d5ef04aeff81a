import { chmodSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Directory } from '../directory.ts';
import { Yielder } from '../yielder.ts';
import { listNames, openDirectory, pathOf, statOf, within } from './names.ts';

/** Removes whatever stands at an absolute path, however deep, read-only or oddly named; nothing is fine too. */
export async function removeTree(path: string): Promise<void> {
  const parent = openDirectory(dirname(path));
  try {
    await removeEntry(parent, basename(path), new Yielder());
  } finally {
    parent.close();
  }
}

/** As {@link removeTree}, for one name in an open directory. Symlinks are removed, never followed. */
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

/** A directory that its owner may not enter or change is made such that he may. */
export function makeWritable(parent: Directory, name: string, mode: number): void {
  if ((mode & 0o700) !== 0o700) chmodSync(pathOf(parent, name), (mode & 0o7777) | 0o700);
}

/** Opens a directory for the time of `use`, also one that its owner may not enter: its mode is restored then. */
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
