import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { contains } from '../paths.ts';
import { toSource, toTarget } from '../view.ts';
import type { WorkspaceView } from '../view.ts';

/** One thing that is to read as empty. */
export interface Mask {
  /** Its path in the sandbox, without symlinks. */
  target: string;
  isFolder: boolean;
}

/** Each mount costs about 0.2 ms of every command's start, and a thousand more than a second. */
const MANY = 100;
/** Beyond this bubblewrap refuses the command line (9,000 words). */
const MOST = 2_500;

export interface MaskSelection {
  masks: Mask[];
  /** Folders that are hidden whole, each as a sentence. */
  warnings: string[];
}

/**
 * Makes mounts of the paths that are to be hidden. What does not exist or is not visible needs none. Of more than
 * 100 files, those that fill folders are hidden by folder, the fullest folder first, until 100 mounts are left;
 * never a folder that holds other folders, nor the workspace itself.
 *
 * @param paths As the sandbox would name them.
 * @param shown Folders that are visible inside.
 * @throws KlausError `sandbox.failed` for more than 2,500 that cannot be put together.
 */
export function selectMasks(paths: readonly string[], shown: readonly string[], view: WorkspaceView): MaskSelection {
  const found = new Map<string, Mask>();
  for (const path of paths) {
    const source = toSource(view, path);
    if (!existsSync(source)) continue;
    const real = realpathSync.native(source);
    const target = toTarget(view, real);
    if (shown.some((folder) => contains(folder, target)))
      found.set(target, { target, isFolder: statSync(real).isDirectory() });
  }
  const folders = [...found.values()].filter((mask) => mask.isFolder);
  const visible = [...found.values()].filter(
    (mask) => !folders.some((folder) => folder !== mask && contains(folder.target, mask.target)),
  );
  if (visible.length <= MANY) return { masks: visible, warnings: [] };
  return gather(visible, shown, view);
}

function gather(visible: readonly Mask[], shown: readonly string[], view: WorkspaceView): MaskSelection {
  const groups = [
    ...Map.groupBy(
      visible.filter((mask) => !mask.isFolder),
      (mask) => dirname(mask.target),
    ),
  ].sort((a, b) => b[1].length - a[1].length);
  const masks = new Set(visible);
  const warnings: string[] = [];
  for (const [folder, members] of groups) {
    if (masks.size <= MANY || members.length < 2) break;
    if (shown.includes(folder) || hasFolders(toSource(view, folder))) continue;
    for (const member of members) masks.delete(member);
    masks.add({ target: folder, isFolder: true });
    warnings.push(`${folder} is hidden whole: it holds ${members.length} secret files`);
  }
  if (masks.size > MOST)
    throw new KlausError('sandbox.failed', `${masks.size} files are to be hidden; at most ${MOST} can be`);
  return { masks: [...masks], warnings };
}

function hasFolders(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isDirectory());
}
