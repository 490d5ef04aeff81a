import type { ChangedFile } from '../changes/changed-file.ts';
import { toLineGroups } from '../changes/line-groups.ts';

/** The lines that a file lost and got. */
export function toChangedLines({ hunks }: ChangedFile): { removed: string[]; added: string[] } {
  const removed: string[] = [];
  const added: string[] = [];
  for (const hunk of hunks)
    for (const { oldFrom, oldTo, newFrom, newTo } of toLineGroups(hunk)) {
      removed.push(...hunk.before.slice(oldFrom, oldTo));
      added.push(...hunk.after.slice(newFrom, newTo));
    }
  return { removed, added };
}
