import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import type { Directory } from '../../directory.ts';
import { codeOf, isRace } from '../../race-error.ts';
import type { Root } from '../../path-entry.ts';
import { withParent } from './dir-handle.ts';

/** Removes a file. No error when it does not exist. */
export function removeIfPresent(parent: Directory, name: string): void {
  try {
    unlinkSync(parent.child(name));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Removes the staging folder of a step, which contains only files. */
export async function removeStaging(root: Root, staging: string): Promise<void> {
  await withParent(root, `${staging}/.`, (parent, name) => {
    for (const left of readdirSync(parent.child(name))) removeIfPresent(parent, left);
  });
  await withParent(root, staging, (parent, name) => {
    try {
      rmdirSync(parent.child(name));
    } catch (error) {
      if (!isRace(error)) throw error;
    }
  });
}
