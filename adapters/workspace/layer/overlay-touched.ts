import type { BigIntStats } from 'node:fs';
import type { Directory } from '../directory.ts';
import { joinNames } from '../path-entry.ts';
import { Yielder } from '../yielder.ts';
import { listNames, openDirectory, statOf, toTexts, within } from './names.ts';
import { enter } from './remove-tree.ts';

interface Walk {
  /** True when workspace and upper directory are on one filesystem, so that inode numbers can be compared. */
  sameDevice: boolean;
  found: string[];
  git: boolean;
  yielder: Yielder;
}

interface Sides {
  upper: Directory;
  /** The workspace. */
  lower: Directory;
  merged: Directory;
}

/**
 * The differences between the workspace and the merged view, from the upper directory. It contains every written file, a
 * device 0:0 for each removed name, and the parent folders of both.
 */
export async function touchedOnOverlay(
  folders: Record<keyof Sides, string>,
): Promise<{ paths: string[]; git: boolean }> {
  using upper = openDirectory(folders.upper);
  using lower = openDirectory(folders.lower);
  using merged = openDirectory(folders.merged);
  const sameDevice = statOf(upper, '.')?.dev === statOf(lower, '.')?.dev;
  const walk: Walk = { sameDevice, found: [], git: false, yielder: new Yielder() };
  await compareFolder(walk, { upper, lower, merged }, '');
  return { paths: toTexts(walk.found), git: walk.git };
}

async function compareFolder(walk: Walk, sides: Sides, folder: string): Promise<void> {
  for (const name of listNames(sides.upper)) {
    await walk.yielder.yieldIfDue();
    if (name === '.git') {
      walk.git ||= await isGitTouched(walk, sides);
      continue;
    }
    const path = joinNames(folder, name);
    const lower = statOf(sides.lower, name);
    const merged = statOf(sides.merged, name);
    if (lower?.isDirectory() && merged?.isDirectory() && isSameFolder(walk, { lower, merged })) {
      await descend(sides, name, (inner) => compareFolder(walk, inner, path));
      continue;
    }
    walk.found.push(path);
    for (const side of [sides.lower, sides.merged]) walk.git ||= await holdsGit(side, name, walk.yielder);
  }
}

/**
 * True when the merged folder is the folder of the workspace, possibly with changes in it. It is another folder if it was
 * removed and created again, or renamed. The attributes that show this are not readable here, but the inode number
 * differs too. If inode numbers cannot be compared, the folder counts as replaced, which may report too many changes.
 */
function isSameFolder(walk: Walk, { lower, merged }: { lower: BigIntStats; merged: BigIntStats }): boolean {
  return (
    walk.sameDevice &&
    lower.ino === merged.ino &&
    lower.mode === merged.mode &&
    lower.uid === merged.uid &&
    lower.gid === merged.gid
  );
}

/** True when `.git` has changes. Folders that were opened for writing without a change do not count. */
async function isGitTouched(walk: Walk, sides: Sides): Promise<boolean> {
  const lower = statOf(sides.lower, '.git');
  const merged = statOf(sides.merged, '.git');
  if (!lower?.isDirectory() || !merged?.isDirectory() || !isSameFolder(walk, { lower, merged })) return true;
  const inner: Walk = { ...walk, found: [], git: false };
  await descend(sides, '.git', (below) => compareFolder(inner, below, ''));
  return inner.found.length > 0 || inner.git;
}

function descend<T>(sides: Sides, name: string, use: (inner: Sides) => Promise<T>): Promise<T> {
  return within(sides.upper, name, (upper) =>
    within(sides.lower, name, (lower) => within(sides.merged, name, (merged) => use({ upper, lower, merged }))),
  );
}

/** True when a folder contains a `.git` at any depth. */
export async function holdsGit(parent: Directory, name: string, yielder: Yielder): Promise<boolean> {
  const stat = statOf(parent, name);
  if (!stat?.isDirectory()) return false;
  const search = async (folder: Directory): Promise<boolean> => {
    const names = listNames(folder);
    if (names.includes('.git')) return true;
    for (const inner of names) {
      await yielder.yieldIfDue();
      if (await holdsGit(folder, inner, yielder)) return true;
    }
    return false;
  };
  return enter(parent, name, { mode: Number(stat.mode), use: search });
}
