import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Layer, Layers } from '@klaus/core/agent';
import { KlausError, messageOf } from '@klaus/core/protocol';
import { storeCopy, openCopy } from './copy-layer.ts';
import { mountsBelow, unmountBelow } from './mounts.ts';
import { openOverlay, probeOverlay } from './overlay-layer.ts';
import { isGone, ownName } from './owner.ts';
import { removeTree } from './remove-tree.ts';

export interface LayersOptions {
  /** Folder in Klaus's own state for layers; private to the user. */
  stateDir: string;
  /** Klaus's own state, which is not copied. */
  klausHome?: string;
  /** Bytes that a working copy leaves free on the disk. Default 256 MiB. */
  reserveBytes?: number;
}

export interface LocalLayers extends Layers {
  /** The reason why an overlay cannot be used for this workspace; undefined when it can. */
  whyNoOverlay(): Promise<string | undefined>;
  /** Removes the stored working copy, and the layers of killed processes. */
  clear(): Promise<void>;
}

const RESERVE = 256 * 2 ** 20;

/**
 * Layers in which commands can write without changing the user's files.
 *
 * An **overlay** opens without copying and is used if it works, usually as root. A **copy** needs as much space as the
 * workspace; it is stored, so that the next layer copies only changes. Both contain all files, including ignored files
 * and `.git`.
 *
 * Changes of the workspace while a layer is open: a copy does not show them. An overlay shows them in files that the
 * command has neither opened nor written, and may or may not show them in others. No change is lost: a layer never writes
 * to the workspace, and a caller that applies the changes of a layer compares the previous hash of each file.
 *
 * Not reported by `touched`: the mode of the workspace folder, times and extended attributes. Not copied: pipes, sockets,
 * devices, unreadable files and extended attributes. Hard links become separate files, in an overlay when they are
 * written.
 */
export function createLayers(root: string, options: LayersOptions): LocalLayers {
  const { klausHome, reserveBytes = RESERVE } = options;
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const workspace = realpathSync.native(root);
  const stateDir = realpathSync.native(options.stateDir);
  // Part of the names of this workspace's folders, because one state folder may serve several.
  const ownKey = createHash('sha256').update(workspace).digest('hex').slice(0, 16);
  const toStoredCopy = (key: string): string => join(stateDir, `kept-${key}`);
  /** The name contains the owning process. */
  const newFolder = (kind: Layer['kind']): string =>
    join(stateDir, `${kind}-${ownName()}-${ownKey}-${randomBytes(6).toString('hex')}`);
  /** Unmounts and removes the layers of killed processes. A working copy is stored for the next layer. */
  const cleanUp = async (): Promise<void> => {
    for (const name of readdirSync(stateDir)) {
      const [, kind, owner, key] = /^(overlay|copy)-([0-9a-f.]+)-([0-9a-f]{16})-[0-9a-f]+$/.exec(name) ?? [];
      if (owner === undefined || key === undefined || !isGone(owner)) continue;
      const folder = join(stateDir, name);
      await unmountBelow(folder);
      if (kind === 'copy') await storeCopy(folder, toStoredCopy(key));
      else await removeTree(folder);
    }
  };
  let probe: Promise<string | undefined> | undefined;
  const whyNoOverlay = async (): Promise<string | undefined> => {
    // These conditions may change while Klaus runs. The result of the probe does not.
    if (stateDir === workspace || stateDir.startsWith(`${workspace}/`)) return `${stateDir} lies in the workspace`;
    const inner = mountsBelow(workspace).find(({ path }) => path !== workspace);
    if (inner) return `${inner.path} is a separate mount, which an overlay does not show`;
    probe ??= probeOverlay(newFolder('overlay'));
    return probe;
  };
  /** The layer, or the reason of the failure. */
  const tryOverlay = async (): Promise<Layer | string> => {
    const reason = await whyNoOverlay();
    if (reason !== undefined) return reason;
    try {
      return await openOverlay(workspace, newFolder('overlay'));
    } catch (error) {
      return messageOf(error);
    }
  };
  return {
    whyNoOverlay,
    async open({ kind, signal } = {}) {
      await cleanUp();
      if (kind !== 'copy') {
        const layer = await tryOverlay();
        if (typeof layer !== 'string') return layer;
        if (kind === 'overlay') {
          throw new KlausError('sandbox.unavailable', `Overlays do not work here: ${layer}.`, {
            hint: 'Use a working copy instead.',
          });
        }
      }
      return openCopy({
        root: workspace,
        folder: newFolder('copy'),
        storedCopy: toStoredCopy(ownKey),
        excluded: [stateDir, ...(klausHome === undefined ? [] : [klausHome])],
        reserveBytes,
        ...(signal && { signal }),
      });
    },
    async clear() {
      await cleanUp();
      await removeTree(toStoredCopy(ownKey));
    },
  };
}
