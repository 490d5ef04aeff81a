import { lstatSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Layer } from '@klaus/core/agent';
import { toKlausError } from '@klaus/core/protocol';
import { codeOf } from '../race-error.ts';
import { Yielder } from '../yielder.ts';
import { compareCopy } from './compare-copy.ts';
import { copyMetadata } from './copy-file.ts';
import { loadIndex, saveIndex, type CopyIndex } from './copy-index.ts';
import { mountsBelow } from './mounts.ts';
import { openDirectory, statOf, within } from './names.ts';
import { makeWritable, removeTree } from './remove-tree.ts';
import { measureDiskSpace, toDiskFullError } from './disk-space.ts';
import { syncCopy } from './sync-copy.ts';

/** Filesystems that the kernel makes up: their files have no end, or do something when they are read. */
const VIRTUAL_FILESYSTEMS = new Set(
  'proc sysfs devtmpfs devpts cgroup cgroup2 debugfs tracefs securityfs configfs bpf mqueue autofs fusectl'.split(' '),
);

export interface CopyOptions {
  /** Absolute real path of the workspace. */
  root: string;
  /** A name for the copy while it is in use; nothing stands there. */
  folder: string;
  /** Where it waits for the next layer when it is not. */
  storedCopy: string;
  /** Absolute folders that are never copied. */
  excluded: readonly string[];
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
  const { folder, storedCopy } = options;
  claimStoredCopy(storedCopy, folder);
  let index: CopyIndex;
  try {
    index = await updateCopy(options);
  } catch (error) {
    // What is there already serves the next attempt, unless it is what fills the disk.
    const failure = ['ENOSPC', 'EDQUOT'].includes(codeOf(error)) ? toDiskFullError(folder, error) : toKlausError(error);
    if (failure.code === 'sandbox.unavailable') await removeTree(folder);
    else await storeCopy(folder, storedCopy);
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
    close: () => (closed ??= storeCopy(folder, storedCopy)),
  };
}

/** A rename is done by one process only: whoever comes second begins with an empty folder. */
function claimStoredCopy(kept: string, folder: string): void {
  try {
    renameSync(kept, folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(folder, { mode: 0o700 });
  }
}

/** Keeps the copy for the next layer, unless another one is kept already. */
export async function storeCopy(folder: string, kept: string): Promise<void> {
  try {
    renameSync(folder, kept);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error;
    await removeTree(folder);
  }
}

async function updateCopy({ root, folder, excluded, reserveBytes, signal }: CopyOptions): Promise<CopyIndex> {
  const stat = statSync(root, { bigint: true });
  const identity = `${root}:${stat.dev}:${stat.ino}`;
  const file = join(folder, 'index.json');
  const source = openDirectory(root);
  const home = openDirectory(folder);
  try {
    const present = statOf(home, 'tree');
    if (present) makeWritable(home, 'tree', Number(present.mode));
    else mkdirSync(join(folder, 'tree'), { mode: 0o700 });
    const index = await within(home, 'tree', (copy) =>
      syncCopy(source, copy, {
        before: loadIndex(file, identity),
        space: measureDiskSpace(folder, reserveBytes),
        yielder: new Yielder(signal),
        excluded: toIdentities([...excluded, ...findVirtualMounts(root)]),
      }),
    );
    copyMetadata(home, 'tree', stat);
    saveIndex(file, identity, index);
    await waitForClockTick(folder);
    return index;
  } finally {
    source.close();
    home.close();
  }
}

function findVirtualMounts(root: string): string[] {
  return mountsBelow(root)
    .filter(({ type }) => VIRTUAL_FILESYSTEMS.has(type))
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
async function waitForClockTick(folder: string): Promise<void> {
  const file = join(folder, 'clock');
  const now = () => {
    writeFileSync(file, '.');
    return lstatSync(file, { bigint: true }).ctimeNs;
  };
  const began = now();
  while (now() <= began) await setTimeout(1);
}
