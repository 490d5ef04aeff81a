import type { BigIntStats } from 'node:fs';
import type { Directory } from '../directory.ts';
import { Yielder } from '../yielder.ts';
import { joinNames, listNames, openDirectory, statOf, toTexts, within } from './names.ts';
import { enter } from './remove-tree.ts';

export interface OverlayFolders {
  /** The workspace. */
  lower: string;
  upper: string;
  merged: string;
}

interface Walk {
  /** True when workspace and upper directory are on one filesystem: then inode numbers can be compared. */
  sameDevice: boolean;
  found: string[];
  git: boolean;
  yielder: Yielder;
}

interface Sides {
  upper: Directory;
  lower: Directory;
  merged: Directory;
}

/**
 * What differs between the workspace and the merged view, read from the upper directory alone: it holds every
 * file that was written, a device 0:0 for each name that was removed, and the folders on the way there.
 */
export async function touchedOnOverlay(folders: OverlayFolders): Promise<{ paths: string[]; git: boolean }> {
  const sides: Partial<Sides> = {};
  try {
    sides.upper = openDirectory(folders.upper);
    sides.lower = openDirectory(folders.lower);
    sides.merged = openDirectory(folders.merged);
    const sameDevice = statOf(sides.upper, '.')?.dev === statOf(sides.lower, '.')?.dev;
    const walk: Walk = { sameDevice, found: [], git: false, yielder: new Yielder() };
    await compareFolder(walk, sides as Sides, '');
    return { paths: toTexts(walk.found), git: walk.git };
  } finally {
    for (const side of Object.values(sides)) side.close();
  }
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
 * True when the merged folder is the workspace's own with changes in it. Another one took its place when it was
 * removed and made again, or renamed; the attributes that say so cannot be read from here, but the inode
 * number does: a folder that goes on keeps the workspace's. Where that cannot be compared, it counts as
 * another one, so that too much is named rather than too little.
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

/** Folders that were only opened for writing, without a change in them, do not count. */
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

/** True when a `.git` is somewhere below a folder. */
export async function holdsGit(parent: Directory, name: string, yielder: Yielder): Promise<boolean> {
  const stat = statOf(parent, name);
  if (!stat?.isDirectory()) return false;
  const look = async (folder: Directory): Promise<boolean> => {
    const names = listNames(folder);
    if (names.includes('.git')) return true;
    for (const inner of names) {
      await yielder.yieldIfDue();
      if (await holdsGit(folder, inner, yielder)) return true;
    }
    return false;
  };
  return enter(parent, name, { mode: Number(stat.mode), use: look });
}
