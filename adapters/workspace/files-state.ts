import { createHash } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isDerived } from '@klaus/core/policy';
import { listFiles } from './secrets/list-files.ts';

/** Files of Git, of Klaus and of the agents, which no check of a project reads. */
const LEFT_OUT = ['--glob=!.git', '--glob=!.klaus', '--glob=!.claude'];
const BY_PRODUCT = /\.(?:log|snap)$|-(?:wal|shm|journal)$/;
/** Files between two looks at other work. */
const BATCH = 2_000;

/**
 * A digest of the files of a workspace that are not ignored: their paths, sizes, modes and times. Another one after any
 * change of a file, by any program. No file is opened.
 *
 * @returns Undefined for a workspace that cannot be listed in this time.
 */
export async function readFilesState(root: string, timeoutMs: number): Promise<string | undefined> {
  const end = Date.now() + timeoutMs;
  const paths = await listFiles(root, LEFT_OUT, AbortSignal.timeout(timeoutMs)).catch(() => undefined);
  if (!paths) return undefined;
  const hash = createHash('sha256');
  for (const [at, path] of paths.toSorted().entries()) {
    if (at % BATCH === BATCH - 1) {
      await setImmediate();
      if (Date.now() > end) return undefined;
    }
    if (isDerived(path) || BY_PRODUCT.test(path)) continue;
    const found = toStat(join(root, path));
    if (found) hash.update(`${path}\0${found.mode} ${found.size} ${found.ino} ${found.mtimeMs} ${found.ctimeMs}\0`);
  }
  return hash.digest('hex');
}

function toStat(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    // It is gone, or in a folder that cannot be entered.
    return undefined;
  }
}
