import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Says whose downloads lie beside it; its time is that of the last download. */
const OWNER = 'fetched-for';
const FETCHED = 'fetched';

/** Folder of a workspace in Klaus's own cache. @param home Klaus's own state. @param workspace Absolute real path. */
export function toProjectFolder(home: string, workspace: string): string {
  return join(toCache(home), createHash('sha256').update(workspace).digest('hex').slice(0, 16));
}

/** Where the downloads of a workspace are kept. @param root From `toProjectFolder`. */
export function toFetched(root: string): string {
  return join(root, FETCHED);
}

/** Notes whose downloads were kept, for the time when nobody needs them. */
export function noteFetched(root: string, workspace: string): void {
  writeFileSync(join(root, OWNER), workspace, { mode: 0o600 });
}

export interface DropFetchedOptions {
  /** Workspaces whose downloads are needed, absolute real paths. */
  needed: Iterable<string>;
  /** Unix milliseconds: what was downloaded since then stays too. */
  since: number;
  dryRun: boolean;
}

/**
 * Removes what was downloaded for workspaces that are gone, or for which nothing was done or downloaded for long.
 *
 * @param home Klaus's own state.
 * @returns Bytes.
 */
export function dropFetched(home: string, { needed, since, dryRun }: DropFetchedOptions): number {
  const kept = new Set([...needed].map((workspace) => toProjectFolder(realpathSync.native(home), workspace)));
  let freed = 0;
  for (const name of list(toCache(home))) {
    const root = join(realpathSync.native(toCache(home)), name);
    const fetched = toFetched(root);
    const at = statSync(join(root, OWNER), { throwIfNoEntry: false }) ?? statSync(fetched, { throwIfNoEntry: false });
    if (!at || !isFolder(fetched)) continue;
    const workspace = readOwner(root);
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

function readOwner(root: string): string | undefined {
  try {
    return readFileSync(join(root, OWNER), 'utf8');
  } catch {
    // Of a time when it was not noted.
    return undefined;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function list(folder: string): string[] {
  return isFolder(folder) ? readdirSync(folder) : [];
}

/** Bytes below a folder; links are not followed. */
function measure(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  );
}
