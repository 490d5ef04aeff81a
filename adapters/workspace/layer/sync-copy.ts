import { mkdirSync, type BigIntStats } from 'node:fs';
import type { Directory } from '../directory.ts';
import { codeOf, isRace } from '../race-error.ts';
import type { Yielder } from '../yielder.ts';
import { copyLink, copyRegular, copyMetadata } from './copy-file.ts';
import { toSignature, type CopyIndex, type CopyRow } from './copy-index.ts';
import { joinNames, listNames, pathOf, statOf, within } from './names.ts';
import { makeWritable, removeEntry } from './remove-tree.ts';
import type { DiskSpace } from './disk-space.ts';

export interface SyncOptions {
  /** What the copy was at the end of the last pass. */
  before: CopyIndex;
  space: DiskSpace;
  yielder: Yielder;
  /** Device and inode of folders that are left out with all they hold. */
  excluded: ReadonlySet<string>;
}

interface Pass extends SyncOptions {
  after: CopyIndex;
  began: bigint;
}

/**
 * Makes the copy equal to the workspace: what is not there any more goes, what is new or differs is copied. A
 * file is left as it is only when neither it nor its original has been touched since the last pass, which
 * sizes and times of change tell. Pipes, sockets and devices are left out, and so is what may not be read.
 *
 * @returns The copy as it is now.
 * @throws KlausError `sandbox.unavailable` when the space is used up.
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

/** Undefined: the copy is to have nothing at this name. */
/** Looks at a folder that is there again each time after it was not. */
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
      // Swapped or removed meanwhile: the next pass sees what it is by then.
      if (statOf(source, name)?.ino !== stat.ino) return undefined;
      // It was away for a moment only.
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
