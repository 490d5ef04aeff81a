import { basename } from 'node:path';
import type { Protection } from './protected-folders.ts';

/** Names of placeholders that every Git folder and workspace gets. Snapshots leave them out. */
const INVISIBLE = new Set(['.klaus', 'commondir', 'hooks']);

/** True when no placeholder would appear in the snapshot of the workspace that is taken before the command. */
export function isInvisible(protection: Protection | undefined): boolean {
  return protection?.placeholders.every((path) => INVISIBLE.has(basename(path))) ?? true;
}
