import { createHash } from 'node:crypto';
import { readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFolder, listNames } from '@klaus/adapters/system';
import { readText } from '../read-text.ts';

/** File with the path of the workspace. Its modification time is that of the last download. */
const OWNER = 'fetched-for';
const FETCHED = 'fetched';

/** Cache folder of a workspace. @param home Klaus's own state. @param workspace Absolute real path. */
export function toProjectFolder(home: string, workspace: string): string {
  return join(toCache(home), createHash('sha256').update(workspace).digest('hex').slice(0, 16));
}

/** Folder with the downloads of a workspace. @param root From `toProjectFolder`. */
export function toFetched(root: string): string {
  return join(root, FETCHED);
}

/** Records the workspace of the downloads, so that {@link dropFetched} can remove them later. */
export function noteFetched(root: string, workspace: string): void {
  writeFileSync(join(root, OWNER), workspace, { mode: 0o600 });
}

export interface DropFetchedOptions {
  /** Absolute real paths of workspaces whose downloads are needed. */
  needed: Iterable<string>;
  /** Unix milliseconds. Later downloads are kept too. */
  since: number;
  dryRun: boolean;
}

/**
 * Removes downloads of workspaces that do not exist any more, or that have not been used recently.
 *
 * @returns Removed bytes.
 */
export function dropFetched(home: string, { needed, since, dryRun }: DropFetchedOptions): number {
  const kept = new Set([...needed].map((workspace) => toProjectFolder(realpathSync.native(home), workspace)));
  let freed = 0;
  for (const name of listNames(toCache(home))) {
    const root = join(realpathSync.native(toCache(home)), name);
    const fetched = toFetched(root);
    const at = statSync(join(root, OWNER), { throwIfNoEntry: false }) ?? statSync(fetched, { throwIfNoEntry: false });
    if (!at || !isFolder(fetched)) continue;
    // Earlier versions did not write the file.
    const workspace = readText(join(root, OWNER));
    const isThere = workspace === undefined || isFolder(workspace);
    if (isThere && (kept.has(root) || at.mtimeMs >= since)) continue;
    freed += measure(fetched);
    if (dryRun) continue;
    rmSync(fetched, { recursive: true, force: true });
    rmSync(join(root, OWNER), { force: true });
  }
  return freed;
}

function toCache(home: string): string {
  return join(home, 'cache');
}

/** Bytes in a folder; links are not followed. */
function measure(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  );
}
