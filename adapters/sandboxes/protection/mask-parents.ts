import { basename, dirname } from 'node:path';
import { isSecretFile } from '@klaus/core/policy';
import { contains } from '../paths.ts';
import type { Mask } from './masks.ts';

/**
 * The parent folders, in the workspace, of files that are secret because of their path and not of their name, such as
 * `.kube/config`. They are mounted so that a command cannot rename them and make the file readable for the next one.
 *
 * @param workspace Path in the sandbox.
 * @returns Parents before children.
 */
export function findMaskParents(masks: readonly Mask[], workspace: string): string[] {
  const found = new Set<string>();
  for (const { target } of masks) {
    if (!contains(workspace, target) || isSecretFile(basename(target))) continue;
    for (let folder = dirname(target); folder !== workspace && contains(workspace, folder); folder = dirname(folder))
      found.add(folder);
  }
  return [...found].sort((a, b) => a.length - b.length);
}
