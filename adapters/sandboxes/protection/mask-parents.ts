import { basename, dirname } from 'node:path';
import { isSecretPath } from '@klaus/core/policy';
import { contains } from '../paths.ts';
import type { Mask } from './masks.ts';

/**
 * Folders of the workspace above files that are secret by their place and not by their name alone, such as
 * `.kube/config`. As mount points they keep their names: under another one the next command would find the file.
 *
 * @param workspace As the sandbox names it.
 * @returns Parents before children.
 */
export function findHeldFolders(masks: readonly Mask[], workspace: string): string[] {
  const found = new Set<string>();
  for (const { target } of masks) {
    if (!contains(workspace, target) || isSecretPath(basename(target))) continue;
    for (let folder = dirname(target); folder !== workspace && contains(workspace, folder); folder = dirname(folder))
      found.add(folder);
  }
  return [...found].sort((a, b) => a.length - b.length);
}
