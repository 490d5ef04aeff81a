import type { Directory } from '../directory.ts';
import { joinNames, parentOf } from '../path-entry.ts';
import { Yielder } from '../yielder.ts';
import { isFolderRow, toSignature, type CopyIndex } from './copy-index.ts';
import { isGit, listNames, statOf, toTexts } from './names.ts';
import { holdsGit } from './overlay-touched.ts';
import { enter } from './remove-tree.ts';

interface Walk {
  index: CopyIndex;
  yielder: Yielder;
  found: string[];
  git: boolean;
  /** Existing paths. */
  seen: Set<string>;
  /** Existing folders that are the same as before. */
  entered: Set<string>;
}

/** The differences between a working copy and its index. Every write to a file updates its change time. */
export async function compareCopy(copy: Directory, index: CopyIndex): Promise<{ paths: string[]; git: boolean }> {
  const walk: Walk = {
    index,
    yielder: new Yielder(),
    found: [],
    git: false,
    seen: new Set(),
    entered: new Set(['']),
  };
  await compareFolder(walk, copy, '');
  const gone = new Set<string>();
  for (const path of index.keys()) {
    if (walk.seen.has(path)) continue;
    walk.git ||= isGit(path);
    if (walk.entered.has(parentOf(path))) gone.add(path);
  }
  const all = [...walk.found, ...gone];
  return { paths: toTexts(all.filter((path) => !isGit(path))), git: walk.git || all.some(isGit) };
}

async function compareFolder(walk: Walk, directory: Directory, folder: string): Promise<void> {
  for (const name of listNames(directory)) {
    await walk.yielder.yieldIfDue();
    const path = joinNames(folder, name);
    const row = walk.index.get(path);
    const stat = statOf(directory, name);
    if (stat && row?.copy === toSignature(stat)) {
      walk.seen.add(path);
      if (!isFolderRow(row)) continue;
      walk.entered.add(path);
      await enter(directory, name, { mode: Number(stat.mode), use: (inner) => compareFolder(walk, inner, path) });
      continue;
    }
    walk.found.push(path);
    walk.seen.add(path);
    walk.git ||= await holdsGit(directory, name, walk.yielder);
  }
}
