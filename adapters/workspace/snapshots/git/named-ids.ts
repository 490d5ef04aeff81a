import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readForeignBytesSync } from '@klaus/adapters/system';
import { toIndexEntries } from '../../git-index/git-index.ts';

const MAX_BYTES = 16 * 1_024 * 1_024;
const MAX_FILES = 10_000;
const ID = /\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/g;
const FILES = ['HEAD', 'packed-refs', 'MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'ORIG_HEAD'];

/** Ids of the objects that the refs, reflogs and index of a git folder name. */
export function listNamedIds(folder: string): string[] {
  const ids = new Set<string>();
  const files = [
    ...FILES.map((name) => join(folder, name)),
    ...['refs', 'logs'].flatMap((name) => listFiles(join(folder, name))),
  ];
  for (const file of files.slice(0, MAX_FILES))
    for (const [id] of (read(file)?.toString('latin1') ?? '').matchAll(ID)) if (!/^0+$/.test(id)) ids.add(id);
  const index = read(join(folder, 'index'));
  for (const { blob, isGitlink } of (index && toIndexEntries(index)) ?? []) if (!isGitlink) ids.add(blob);
  return [...ids];
}

function listFiles(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

function read(file: string): Buffer | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= MAX_BYTES ? readForeignBytesSync(file, MAX_BYTES) : undefined;
}
