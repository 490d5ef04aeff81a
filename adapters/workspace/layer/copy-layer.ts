import { lstatSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Layer } from '@klaus/core/agent';
import { toKlausError } from '@klaus/core/protocol';
import { codeOf } from '../race-error.ts';
import { createBreath } from './breath.ts';
import { compareCopy } from './compare-copy.ts';
import { dress } from './copy-file.ts';
import { loadIndex, saveIndex, type CopyIndex } from './copy-index.ts';
import { mountsBelow } from './mounts.ts';
import { openDirectory, statOf, within } from './names.ts';
import { makeUsable, removeTree } from './remove-tree.ts';
import { measureRoom, noRoom } from './disk-space.ts';
import { syncCopy } from './sync-copy.ts';

/** Filesystems that the kernel makes up: their files have no end, or do something when they are read. */
const MADE_UP = new Set(
  'proc sysfs devtmpfs devpts cgroup cgroup2 debugfs tracefs securityfs configfs bpf mqueue autofs fusectl'.split(' '),
);

export interface CopyOptions {
  /** Absolute real path of the workspace. */
  root: string;
  /** A name for the copy while it is in use; nothing stands there. */
  folder: string;
  /** Where it waits for the next layer when it is not. */
  kept: string;
  /** Absolute folders that are never copied. */
  leftOut: readonly string[];
  /** Bytes of the disk that stay free. */
  reserveBytes: number;
  signal?: AbortSignal;
}

/**
 * Brings a working copy up to date, the one that an earlier layer left where there is one.
 *
 * @throws KlausError `sandbox.unavailable` when there is no room for it, `cancelled`.
 */
export async function openCopy(options: CopyOptions): Promise<Layer> {
  const { folder, kept } = options;
  claim(kept, folder);
  let index: CopyIndex;
  try {
    index = await bringUpToDate(options);
  } catch (error) {
    // What is there already serves the next attempt, unless it is what fills the disk.
    const failure = ['ENOSPC', 'EDQUOT'].includes(codeOf(error)) ? noRoom(folder, error) : toKlausError(error);
    if (failure.code === 'sandbox.unavailable') await removeTree(folder);
    else await giveBack(folder, kept);
    throw failure;
  }
  let closed: Promise<void> | undefined;
  return {
    kind: 'copy',
    folder: join(folder, 'tree'),
    async touched() {
      const copy = openDirectory(join(folder, 'tree'));
      try {
        return await compareCopy(copy, index);
      } finally {
        copy.close();
      }
    },
    close: () => (closed ??= giveBack(folder, kept)),
  };
}

/** A rename is done by one process only: whoever comes second begins with an empty folder. */
function claim(kept: string, folder: string): void {
  try {
    renameSync(kept, folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(folder, { mode: 0o700 });
  }
}

/** Keeps the copy for the next layer, unless another one is kept already. */
export async function giveBack(folder: string, kept: string): Promise<void> {
  try {
    renameSync(folder, kept);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error;
    await removeTree(folder);
  }
}

async function bringUpToDate({ root, folder, leftOut, reserveBytes, signal }: CopyOptions): Promise<CopyIndex> {
  const stat = statSync(root, { bigint: true });
  const identity = `${root}:${stat.dev}:${stat.ino}`;
  const file = join(folder, 'index.json');
  const source = openDirectory(root);
  const home = openDirectory(folder);
  try {
    const present = statOf(home, 'tree');
    if (present) makeUsable(home, 'tree', Number(present.mode));
    else mkdirSync(join(folder, 'tree'), { mode: 0o700 });
    const index = await within(home, 'tree', (copy) =>
      syncCopy(source, copy, {
        before: loadIndex(file, identity),
        room: measureRoom(folder, reserveBytes),
        breath: createBreath(signal),
        leftOut: toIdentities([...leftOut, ...madeUpBelow(root)]),
      }),
    );
    dress(home, 'tree', stat);
    saveIndex(file, identity, index);
    await nextTick(folder);
    return index;
  } finally {
    source.close();
    home.close();
  }
}

function madeUpBelow(root: string): string[] {
  return mountsBelow(root)
    .filter(({ type }) => MADE_UP.has(type))
    .map(({ path }) => path);
}

function toIdentities(folders: readonly string[]): Set<string> {
  return new Set(
    folders.flatMap((folder) => {
      const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
      return stat ? [`${stat.dev}:${stat.ino}`] : [];
    }),
  );
}

/**
 * Waits until the filesystem's clock, which may move in steps of some milliseconds, has moved: what a command
 * writes from now on has another time of change than what was copied.
 */
async function nextTick(folder: string): Promise<void> {
  const file = join(folder, 'clock');
  const now = () => {
    writeFileSync(file, '.');
    return lstatSync(file, { bigint: true }).ctimeNs;
  };
  const began = now();
  while (now() <= began) await setTimeout(1);
}
