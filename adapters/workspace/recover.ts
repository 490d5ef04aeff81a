import { lstatSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { hashContent } from './content.ts';
import type { Journal, JournalEntry, JournalRow } from './journal.ts';
import { codeOf } from './race-error.ts';
import { withEntry, type PathEntry, type Root } from './path-entry.ts';

/**
 * Tidies up after processes that were killed while they wrote: a step of several files that was not done is
 * taken back, so that each step has happened or has not; temporary names are removed. A file that something
 * else has changed since stays as it is.
 */
export async function recoverEdits(root: Root, journal: Journal): Promise<void> {
  for (const abandoned of journal.abandoned(root.path)) {
    const { entry: step } = abandoned;
    for (const row of step.rows) await withEntry(root, row.path, (entry) => recoverRow(entry, row, step));
    if (!step.done) for (const path of step.directories.toReversed()) await withEntry(root, path, removeDirectory);
    abandoned.end();
  }
}

async function recoverRow(entry: PathEntry, row: JournalRow, step: JournalEntry): Promise<void> {
  if (entry.missing.length > 0 || entry.name === '.' || entry.viaLink) return;
  const name = entry.parent.child(entry.name);
  const has = (file: string) => lstatSync(entry.parent.child(file), { throwIfNoEntry: false }) !== undefined;
  const isOurs =
    !step.done &&
    step.rows.length > 1 &&
    (!entry.stat || entry.stat.isFile()) &&
    (await hashContent(entry)) === row.after;
  if (isOurs && row.backup !== null && has(row.backup)) renameSync(entry.parent.child(row.backup), name);
  else if (isOurs && row.before === null && row.after !== null) unlinkSync(name);
  for (const left of [row.backup, row.temp]) if (left !== null && has(left)) unlinkSync(entry.parent.child(left));
}

function removeDirectory(entry: PathEntry): void {
  if (entry.name !== '.' || entry.relative === '') return;
  try {
    rmdirSync(entry.absolute);
  } catch (error) {
    if (!['ENOTEMPTY', 'ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error))) throw error;
  }
}
