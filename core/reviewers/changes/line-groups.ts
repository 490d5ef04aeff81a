import { diffArrays } from 'diff/lib/diff/array.js';
import type { ChangedLines } from './changed-file.ts';

/** Lines of a hunk that changed without an unchanged line between them; ends are exclusive, from 0. */
export interface LineGroup {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** The shortest difference of larger hunks takes too long: they are one group. */
const MAX_EDITS = 500;

export function toLineGroups({ before, after }: Pick<ChangedLines, 'before' | 'after'>): LineGroup[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
  if (!parts) return [{ oldFrom: 0, oldTo: before.length, newFrom: 0, newTo: after.length }];
  const groups: LineGroup[] = [];
  let [old, fresh, isOpen] = [0, 0, false];
  for (const { added, removed, count = 0 } of parts) {
    if (!added && !removed) {
      [old, fresh, isOpen] = [old + count, fresh + count, false];
      continue;
    }
    if (!isOpen) groups.push({ oldFrom: old, oldTo: old, newFrom: fresh, newTo: fresh });
    isOpen = true;
    const group = groups.at(-1)!;
    if (removed) group.oldTo = old += count;
    else group.newTo = fresh += count;
  }
  return groups;
}
