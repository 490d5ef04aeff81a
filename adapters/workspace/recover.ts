import { lstatSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { hashContent } from './content.ts';
import type { Journal, JournalEntry, JournalRow } from './journal.ts';
import { codeOf } from './race-error.ts';
import { withPlace, type Place, type Root } from './path-entry.ts';

/**
 * Tidies up after processes that were killed while they wrote: a step of several files that was not done is
 * taken back, so that each step has happened or has not; temporary names are removed. A file that something
 * else has changed since stays as it is.
 */
export async function recoverSteps(root: Root, journal: Journal): Promise<void> {
  for (const abandoned of journal.abandoned(root.path)) {
    const { entry } = abandoned;
    for (const row of entry.rows) await withPlace(root, row.path, (place) => recoverRow(place, row, entry));
    if (!entry.done) for (const path of entry.directories.toReversed()) await withPlace(root, path, removeDirectory);
    abandoned.end();
  }
}

async function recoverRow(place: Place, row: JournalRow, entry: JournalEntry): Promise<void> {
  if (place.missing.length > 0 || place.name === '.' || place.viaLink) return;
  const name = place.parent.child(place.name);
  const has = (file: string) => lstatSync(place.parent.child(file), { throwIfNoEntry: false }) !== undefined;
  const isOurs =
    !entry.done &&
    entry.rows.length > 1 &&
    (!place.stat || place.stat.isFile()) &&
    (await hashContent(place)) === row.after;
  if (isOurs && row.backup !== null && has(row.backup)) renameSync(place.parent.child(row.backup), name);
  else if (isOurs && row.before === null && row.after !== null) unlinkSync(name);
  for (const left of [row.backup, row.temp]) if (left !== null && has(left)) unlinkSync(place.parent.child(left));
}

function removeDirectory(place: Place): void {
  if (place.name !== '.' || place.relative === '') return;
  try {
    rmdirSync(place.absolute);
  } catch (error) {
    if (!['ENOTEMPTY', 'ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error))) throw error;
  }
}
