import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Layer } from '@klaus/core/agent';
import { messageOf } from '@klaus/core/protocol';
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

/**
 * Tests an overlay in a new folder: renaming, appending, other owners, removing and replacing have to work, and all
 * changes have to be found. Removes the folder.
 *
 * @returns The reason why overlays do not work here; undefined when they do.
 */
export async function probeOverlay(folder: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'overlays exist on Linux only';
  try {
    return await attempt(folder);
  } catch (error) {
    return messageOf(error);
  } finally {
    await unmountBelow(folder);
    await removeTree(folder);
  }
}

async function attempt(folder: string): Promise<string | undefined> {
  const at = (...names: string[]) => join(folder, ...names);
  for (const name of ['lower/renamed', 'lower/replaced', 'lower/kept', 'upper', 'work', 'merged'])
    mkdirSync(at(name), { recursive: true, mode: 0o700 });
  for (const name of ['renamed', 'replaced', 'kept']) writeFileSync(at('lower', name, 'file'), name);
  writeFileSync(at('lower/removed'), '');
  chownSync(at('lower/kept/file'), 12_345, 12_345);
  await mountOverlay(folder);
  rmSync(at('merged/removed'));
  rmSync(at('merged/replaced'), { recursive: true });
  renameSync(at('merged/renamed'), at('merged/replaced'));
  appendFileSync(at('merged/kept/file'), ', appended');
  const { paths } = await touchedOnOverlay({ lower: at('lower'), upper: at('upper'), merged: at('merged') });
  const expected = lstatSync(at('lower')).dev === lstatSync(at('upper')).dev ? 'kept/file' : 'kept';
  if (paths.join() !== [expected, 'removed', 'renamed', 'replaced'].join())
    return `its upper directory shows other changes than expected: ${paths.join(', ')}`;
  const isRight =
    readFileSync(at('merged/kept/file'), 'utf8') === 'kept, appended' &&
    readFileSync(at('merged/replaced/file'), 'utf8') === 'renamed' &&
    !existsSync(at('merged/removed')) &&
    lstatSync(at('merged/kept/file')).uid === 12_345 &&
    readFileSync(at('lower/kept/file'), 'utf8') === 'kept';
  return isRight ? undefined : 'files that are written through it have other content';
}
