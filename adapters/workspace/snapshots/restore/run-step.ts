import { readdirSync, rmdirSync } from 'node:fs';
import type { Root } from '../../path-entry.ts';
import { isRace } from '../../race-error.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import { withParent } from './dir-handle.ts';
import { RestoreStep, type PathChange, type StepOptions } from './restore-step.ts';

/**
 * Changes every path to its goal. New content is written to a staging folder and synced first. Entries are then removed,
 * innermost first, and created, outermost first. After a kill at any point the step can be run again.
 *
 * @throws ConflictError, or the system's error, after a part of the step may have been performed.
 */
export async function runStep(
  store: SnapshotStore,
  changes: readonly PathChange[],
  options: StepOptions,
): Promise<void> {
  const sorted = changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const reversed = sorted.toReversed();
  const step = new RestoreStep(store, options);
  await step.unlock();
  await step.stage(sorted.filter(isNewContent));
  for (const change of reversed) {
    const { now, goal } = change;
    if (!now || goal?.type === now.type) continue;
    // A file that becomes a symlink, or the reverse, is replaced by a rename later.
    if (now.type === 'directory') await step.removeDirectory(change);
    else if (!goal || goal.type === 'directory') await step.removeFile(change);
    if (options.yielder.due) await options.yielder.yield();
  }
  for (const change of sorted) {
    if (change.goal?.type === 'directory' && change.now?.type !== 'directory') await step.makeDirectory(change);
    else if (isNewContent(change)) await step.putInPlace(change);
    else if (change.goal?.type === 'file') await step.changeMode(change);
    if (options.yielder.due) await options.yielder.yield();
  }
  await step.setDirectoryModes(reversed);
  await step.sync(sorted);
  await removeStaging(store.root, options.staging);
}

/** Removes the staging folder of a step, which contains only files. */
async function removeStaging(root: Root, staging: string): Promise<void> {
  await withParent(root, `${staging}/.`, (parent, name) => {
    for (const left of readdirSync(parent.child(name))) parent.removeFile(left);
  });
  await withParent(root, staging, (parent, name) => {
    try {
      rmdirSync(parent.child(name));
    } catch (error) {
      if (!isRace(error)) throw error;
    }
  });
}

/** True if a file has to be written, also for a new mode of a file with hard links, which must keep their mode. */
function isNewContent({ now, goal, stat }: PathChange): boolean {
  if (!goal || goal.type === 'directory') return false;
  if (now?.type !== goal.type || now.hash !== goal.hash) return true;
  return goal.mode !== now.mode && (stat?.nlink ?? 1) > 1;
}
