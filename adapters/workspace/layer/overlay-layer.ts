import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Layer } from '@klaus/core/agent';
import { mountOverlay, unmountBelow } from './mounts.ts';
import { touchedOnOverlay } from './overlay-touched.ts';
import { removeTree } from './remove-tree.ts';

/**
 * Mounts a layer over the workspace.
 *
 * @param folder A new folder for it; removed by `close`.
 * @throws Error with the message of mount(8), after removing the folder.
 */
export async function openOverlay(root: string, folder: string): Promise<Layer> {
  const at = (name: string) => join(folder, name);
  const close = async () => {
    await unmountBelow(folder);
    await removeTree(folder);
  };
  try {
    for (const name of ['', 'upper', 'work', 'merged']) mkdirSync(at(name), { mode: 0o700 });
    symlinkSync(root, at('lower'));
    // The merged folder's own mode and owner are those of the upper one.
    const { mode, uid, gid } = statSync(root);
    chownSync(at('upper'), uid, gid);
    chmodSync(at('upper'), mode & 0o7777);
    await mountOverlay(folder);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    kind: 'overlay',
    folder: at('merged'),
    touched: () => touchedOnOverlay({ lower: root, upper: at('upper'), merged: at('merged') }),
    close,
  };
}
