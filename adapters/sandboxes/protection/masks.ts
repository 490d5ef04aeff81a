import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { contains } from '../paths.ts';
import { toSource, toTarget, type WorkspaceView } from '../view.ts';

/** A file or folder that commands see empty. */
export interface Mask {
  /** Path in the sandbox, without symlinks. */
  target: string;
  isFolder: boolean;
}

/** Each mount delays the start of every command by about 0.2 ms, a thousand mounts by more than a second. */
const MANY = 100;
/** With more masks bubblewrap refuses the command line (9,000 words). */
const MOST = 2_500;

export interface MaskSelection {
  masks: Mask[];
  /** Folders that are hidden completely, each as a sentence. */
  warnings: string[];
}

/**
 * The masks for paths that have to be hidden. Paths that do not exist or are not visible need none. For more than 100
 * files, complete folders are hidden instead, those with the most files first, until 100 mounts remain. A folder with
 * subfolders and the workspace itself are never hidden.
 *
 * @param paths Paths in the sandbox.
 * @param shown Folders that are visible in the sandbox.
 * @throws KlausError `sandbox.failed` when more than 2,500 masks remain.
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
  const visible = withoutNested([...found.values()]);
  if (visible.length <= MANY) return { masks: visible, warnings: [] };
  return gather(visible, shown, view);
}

export function withoutNested(masks: readonly Mask[]): Mask[] {
  const folders = masks.filter(({ isFolder }) => isFolder);
  return masks.filter((mask) => !folders.some((each) => each !== mask && contains(each.target, mask.target)));
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
    warnings.push(`${folder} is hidden completely: it holds ${members.length} secret files`);
  }
  if (masks.size > MOST)
    throw new KlausError('sandbox.failed', `${masks.size} files have to be hidden; the limit is ${MOST}`);
  return { masks: [...masks], warnings };
}

function hasFolders(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isDirectory());
}
