import type { Grant } from '../../protocol/index.ts';
import { isBelow } from '../path.ts';
import { heldBy, liveAt } from './algebra.ts';

/**
 * The files of the workspace that a command may read and write, for the sandbox to enforce. Undefined if it may read
 * and write everything.
 */
export function toFilesView(
  grant: Grant,
  { workspace, now }: { workspace: string; now: number },
): { read: string[]; write: string[] } | undefined {
  const read: string[] = [];
  const write: string[] = [];
  for (const authority of liveAt(heldBy(grant), now)) {
    if (authority.kind !== 'fs') continue;
    // An authority for a folder that contains the workspace covers the workspace.
    const path = isBelow(workspace, authority.path) ? workspace : authority.path;
    if (!isBelow(path, workspace)) continue;
    if (authority.rights.includes('r')) read.push(path);
    if (authority.rights.includes('w') && authority.rights.includes('r')) write.push(path);
  }
  if (read.includes(workspace) && write.includes(workspace)) return undefined;
  return { read, write };
}
