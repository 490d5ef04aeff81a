import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCacheFile } from '@klaus/adapters/system';
import { CREDENTIAL_RULES } from '@klaus/core/policy';
import { z } from 'zod';

/** A smaller scan is faster than reading its result from a file. */
export const MIN_CACHED_FOLDERS = 200;

/** The result of a scan for one folder. */
export interface ScannedFolder {
  /** State of the folder when it was read; undefined when the next scan has to read it again. */
  state: string | undefined;
  depth: number;
  folders: readonly string[];
  /** Absolute paths that have to be hidden. */
  hits: readonly string[];
}

/** The result of a scan, and folder states that reveal most changes quickly. */
export type ScanSummary = z.infer<typeof summarySchema>;

const summarySchema = z.object({
  /** When every folder was last compared, in milliseconds since 1970. */
  at: z.number(),
  /** Absolute paths that have to be hidden. */
  found: z.array(z.string()),
  /** States of the folders near the top, by path; null for one that has to be read again. */
  top: z.record(z.string(), z.string().nullable()),
});

/** State, depth, folder names and hit names, by the path of the folder. */
const rowSchema = z.tuple([z.string().nullable(), z.number(), z.array(z.string()), z.array(z.string())]);
const fileSchema = z.record(z.string(), rowSchema);

/** The stored scan of a folder, made with the present rules. The caller compares it with the folders. */
export function readScan(home: string, root: string): Map<string, ScannedFolder> {
  let rows: z.infer<typeof fileSchema>;
  try {
    rows = fileSchema.parse(JSON.parse(readFileSync(toFile(home, root), 'utf8')));
  } catch {
    return new Map();
  }
  const within = (path: string, names: readonly string[]) => names.map((name) => join(path, name));
  return new Map(
    Object.entries(rows).map(([path, [state, depth, folders, hits]]) => [
      path,
      { state: state ?? undefined, depth, folders: within(path, folders), hits: within(path, hits) },
    ]),
  );
}

/** The summary of the last stored scan, which is much smaller than {@link readScan}. */
export function readSummary(home: string, root: string): ScanSummary | undefined {
  try {
    return summarySchema.parse(JSON.parse(readFileSync(toFile(home, root, '.summary'), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Stores a scan; `folders` only if they have changed. Failures are ignored: the scan is then repeated. */
export function writeScan(
  home: string,
  root: string,
  { summary, folders }: { summary: ScanSummary; folders?: ReadonlyMap<string, ScannedFolder> },
): void {
  if (folders) writeCacheFile(toFile(home, root), toRows(folders));
  writeCacheFile(toFile(home, root, '.summary'), summary);
}

function toRows(folders: ReadonlyMap<string, ScannedFolder>): Record<string, unknown> {
  const within = (path: string, below: readonly string[]) => below.map((each) => each.slice(path.length + 1));
  return Object.fromEntries(
    [...folders].map(([path, { state, depth, folders, hits }]) => [
      path,
      [state ?? null, depth, within(path, folders), within(path, hits)],
    ]),
  );
}

function toFile(home: string, root: string, kind = ''): string {
  const key = createHash('sha256')
    .update(JSON.stringify([CREDENTIAL_RULES, root]))
    .digest('hex');
  return join(home, 'cache', 'scans', `${key.slice(0, 32)}${kind}.json`);
}
