import { placeOf, toRelative } from '../../policy/index.ts';
import { type Access, unlessFailed } from '../../protocol/index.ts';
import type { Workspace } from '../ports/workspace.ts';

/** Absolute paths among those that a call writes that do not exist, and are protected places only for that reason. */
export async function findNewPlaces(workspace: Workspace, access: readonly Access[]): Promise<string[]> {
  const found: string[] = [];
  for (const each of access) {
    if (each.kind !== 'fs' || each.right !== 'w') continue;
    const relative = toRelative(each.path, workspace.root);
    if (relative === undefined || placeOf(relative) !== undefined || !placeOf(relative, { isNew: true })) continue;
    if ((await unlessFailed(() => workspace.stat(relative))) === undefined) found.push(each.path);
  }
  return found;
}
