import { mkdirSync, type BigIntStats } from 'node:fs';
import type { Directory } from '../directory.ts';
import { joinNames } from '../path-entry.ts';
import { codeOf, isRace } from '../race-error.ts';
import type { Yielder } from '../yielder.ts';
import { copyLink, copyRegular, copyMetadata } from './copy-file.ts';
import { toSignature, type CopyIndex, type CopyRow } from './copy-index.ts';
import { listNames, pathOf, statOf, within } from './names.ts';
import { makeWritable, removeEntry } from './remove-tree.ts';
import type { DiskSpace } from './disk-space.ts';

export interface SyncOptions {
  /** The copy at the end of the last pass. */
  before: CopyIndex;
  space: DiskSpace;
  yielder: Yielder;
  /** Device and inode of folders that are left out with all of their content. */
  excluded: ReadonlySet<string>;
}

interface Pass extends SyncOptions {
  after: CopyIndex;
  began: bigint;
}

/**
 * Updates the copy to match the workspace: removes missing files, and copies new and changed ones. A file is skipped only
 * if neither it nor its original has changed since the last pass, according to sizes and change times. Pipes, sockets,
 * devices and unreadable files are left out.
 *
 * @returns The index of the updated copy.
 * @throws KlausError `sandbox.unavailable` when the disk is full.
 */
export async function syncCopy(source: Directory, copy: Directory, options: SyncOptions): Promise<CopyIndex> {
  const pass: Pass = { ...options, after: new Map(), began: BigInt(Date.now()) * 1_000_000n };
  await syncFolder(pass, { source, copy, folder: '' });
  return pass.after;
}

interface Sides {
  source: Directory;
  copy: Directory;
  folder: string;
}

async function syncFolder(pass: Pass, sides: Sides): Promise<void> {
  const superfluous = new Set(listNames(sides.copy));
  for (const name of listOrNothing(sides.source)) {
    await pass.yielder.yieldIfDue();
    const stat = statOf(sides.source, name);
    if (!stat || pass.excluded.has(`${stat.dev}:${stat.ino}`)) continue;
    const row = await syncEntry(pass, sides, { name, stat });
    if (row) pass.after.set(joinNames(sides.folder, name), row);
    else await removeEntry(sides.copy, name, pass.yielder);
    superfluous.delete(name);
  }
  for (const name of superfluous) await removeEntry(sides.copy, name, pass.yielder);
}

/** Attempts for a folder that is repeatedly replaced. */
const MAX_TRIES = 16;

async function syncEntry(
  pass: Pass,
  sides: Sides,
  { name, stat }: { name: string; stat: BigIntStats },
): Promise<CopyRow | undefined> {
  const { source, copy } = sides;
  const present = statOf(copy, name);
  const known = pass.before.get(joinNames(sides.folder, name));
  if (stat.isDirectory()) {
    if (present && !present.isDirectory()) await removeEntry(copy, name, pass.yielder);
    return syncInner(pass, sides, { name, stat });
  }
  if (present && known && known.source === toSignature(stat) && known.copy === toSignature(present)) return known;
  if (present) await removeEntry(copy, name, pass.yielder);
  const target = { source, copy, name, space: pass.space, began: pass.began };
  if (stat.isSymbolicLink()) return copyLink(target, stat);
  return stat.isFile() ? copyRegular(target) : undefined;
}

async function syncInner(
  pass: Pass,
  { source, copy, folder }: Sides,
  { name, stat }: { name: string; stat: BigIntStats },
): Promise<CopyRow | undefined> {
  const present = statOf(copy, name);
  if (present) makeWritable(copy, name, Number(present.mode));
  else {
    pass.space.take(1);
    mkdirSync(pathOf(copy, name), { mode: 0o700 });
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await within(source, name, (from) =>
        within(copy, name, (to) => syncFolder(pass, { source: from, copy: to, folder: joinNames(folder, name) })),
      );
      break;
    } catch (error) {
      if (!isRace(error)) throw error;
      // It was replaced or removed: the next pass handles it.
      if (statOf(source, name)?.ino !== stat.ino) return undefined;
      // It was missing only for a moment.
      if (attempt === MAX_TRIES) throw error;
    }
  }
  copyMetadata(copy, name, stat);
  return { source: '', copy: toSignature(statOf(copy, name)!) };
}

function listOrNothing(folder: Directory): string[] {
  try {
    return listNames(folder);
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error))) return [];
    throw error;
  }
}
