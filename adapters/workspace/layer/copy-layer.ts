import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Layer } from '@klaus/core/agent';
import { toKlausError } from '@klaus/core/protocol';
import { takeMark } from '../changed-since.ts';
import type { Directory } from '../directory.ts';
import { joinNames, parentOf } from '../path-entry.ts';
import { codeOf } from '../race-error.ts';
import { Yielder } from '../yielder.ts';
import { copyMetadata } from './copy-file.ts';
import { isFolderRow, loadIndex, saveIndex, toSignature, type CopyIndex } from './copy-index.ts';
import { mountsBelow } from './mounts.ts';
import { isGit, listNames, openDirectory, statOf, toTexts, within } from './names.ts';
import { holdsGit } from './overlay-touched.ts';
import { enter, makeWritable, removeTree } from './remove-tree.ts';
import { measureDiskSpace, toDiskFullError } from './disk-space.ts';
import { syncCopy } from './sync-copy.ts';

/** Virtual filesystems, whose files can be endless or have side effects when read. */
const VIRTUAL_FILESYSTEMS = new Set(
  'proc sysfs devtmpfs devpts cgroup cgroup2 debugfs tracefs securityfs configfs bpf mqueue autofs fusectl'.split(' '),
);

export interface CopyOptions {
  /** Absolute real path of the workspace. */
  root: string;
  /** Folder of the copy while it is in use; does not exist yet. */
  folder: string;
  /** Folder of the copy between two layers. */
  storedCopy: string;
  /** Absolute paths of folders that are not copied. */
  excluded: readonly string[];
  /** Bytes to leave free on the disk. */
  reserveBytes: number;
  signal?: AbortSignal;
}

/**
 * Opens a layer that is a working copy. Updates the copy of an earlier layer if there is one.
 *
 * @throws KlausError `sandbox.unavailable` when the disk is full, `cancelled`.
 */
export async function openCopy(options: CopyOptions): Promise<Layer> {
  const { folder, storedCopy } = options;
  claimStoredCopy(storedCopy, folder);
  let index: CopyIndex;
  try {
    index = await updateCopy(options);
  } catch (error) {
    // The next attempt continues with the partial copy, unless the disk is full.
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
      using copy = openDirectory(join(folder, 'tree'));
      return await compareCopy(copy, index);
    },
    close: () => (closed ??= storeCopy(folder, storedCopy)),
  };
}

/** Takes the stored copy with a rename, which succeeds in one process only. Otherwise creates an empty folder. */
function claimStoredCopy(kept: string, folder: string): void {
  try {
    renameSync(kept, folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(folder, { mode: 0o700 });
  }
}

/** Stores the copy for the next layer, unless another copy is stored already. */
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
  using source = openDirectory(root);
  using home = openDirectory(folder);
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
  // Later changes get another change time than the copied files.
  await takeMark(folder);
  return index;
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

interface Walk {
  index: CopyIndex;
  yielder: Yielder;
  found: string[];
  git: boolean;
  /** Existing paths. */
  seen: Set<string>;
  /** Existing folders that are the same as before. */
  entered: Set<string>;
}

/** The differences between a working copy and its index. Every write to a file updates its change time. */
async function compareCopy(copy: Directory, index: CopyIndex): Promise<{ paths: string[]; git: boolean }> {
  const walk: Walk = {
    index,
    yielder: new Yielder(),
    found: [],
    git: false,
    seen: new Set(),
    entered: new Set(['']),
  };
  await compareFolder(walk, copy, '');
  const gone = new Set<string>();
  for (const path of index.keys()) {
    if (walk.seen.has(path)) continue;
    walk.git ||= isGit(path);
    if (walk.entered.has(parentOf(path))) gone.add(path);
  }
  const all = [...walk.found, ...gone];
  return { paths: toTexts(all.filter((path) => !isGit(path))), git: walk.git || all.some(isGit) };
}

async function compareFolder(walk: Walk, directory: Directory, folder: string): Promise<void> {
  for (const name of listNames(directory)) {
    await walk.yielder.yieldIfDue();
    const path = joinNames(folder, name);
    const row = walk.index.get(path);
    const stat = statOf(directory, name);
    if (stat && row?.copy === toSignature(stat)) {
      walk.seen.add(path);
      if (!isFolderRow(row)) continue;
      walk.entered.add(path);
      await enter(directory, name, { mode: Number(stat.mode), use: (inner) => compareFolder(walk, inner, path) });
      continue;
    }
    walk.found.push(path);
    walk.seen.add(path);
    walk.git ||= await holdsGit(directory, name, walk.yielder);
  }
}
