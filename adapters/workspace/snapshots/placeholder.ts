import type { TreeChange } from '@klaus/core/protocol';

/** Klaus's own configuration: the sandbox keeps the folder there, empty, so that no command can fill it. */
const HELD = '.klaus';

/**
 * True for that folder as it comes and goes with the commands that it is held for. It is nobody's change: one that runs
 * in the background would lose its wall if an undo took the folder away.
 */
export function isPlaceholder({ path, before, after }: TreeChange, rows: readonly TreeChange[]): boolean {
  if (path !== HELD || (before ?? after)?.type !== 'directory' || (before && after)) return false;
  return !rows.some((row) => row.path.startsWith(`${HELD}/`));
}
