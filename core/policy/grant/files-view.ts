import type { Grant } from '../../protocol/index.ts';
import { isBelow } from '../path.ts';

/**
 * What a command may see of the workspace, where that is not the whole of it: the sandbox holds commands to what
 * the gate holds the other tools to. Undefined when everything may be read and written.
 */
export function toFilesView(
  grant: Grant,
  { workspace, now }: { workspace: string; now: number },
): { read: string[]; write: string[] } | undefined {
  if (grant.expiresAt !== undefined && grant.expiresAt <= now) return { read: [], write: [] };
  const read: string[] = [];
  const write: string[] = [];
  for (const authority of grant.authorities) {
    if (authority.kind !== 'fs' || (authority.expiresAt !== undefined && authority.expiresAt <= now)) continue;
    // What reaches beyond the workspace counts for the workspace.
    const path = isBelow(workspace, authority.path) ? workspace : authority.path;
    if (!isBelow(path, workspace)) continue;
    if (authority.rights.includes('r')) read.push(path);
    if (authority.rights.includes('w') && authority.rights.includes('r')) write.push(path);
  }
  if (read.includes(workspace) && write.includes(workspace)) return undefined;
  return { read, write };
}
