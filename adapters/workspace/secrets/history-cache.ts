import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCacheFile } from '@klaus/adapters/system';
import { SECRET_FILE_RULES } from '@klaus/core/policy';
import { z } from 'zod';
import type { GitFolder } from './git-folder.ts';

const schema = z.object({
  /** Commits that were searched together with all of their ancestors. */
  commits: z.array(z.string()),
  /** Object id and path of each secret file in these commits. */
  blobs: z.array(z.tuple([z.string(), z.string()])),
});

/** The secret files in the searched history of a repository, without their contents. */
export type CachedHistory = z.infer<typeof schema>;

const NOTHING: CachedHistory = { commits: [], blobs: [] };

/**
 * The cached result of earlier processes with the present rules. Commits never change, so only new ones have to be
 * searched.
 *
 * @param cache Folder that only the user can write.
 */
export function readHistoryCache(cache: string, folder: GitFolder, patterns: readonly string[]): CachedHistory {
  try {
    return schema.parse(JSON.parse(readFileSync(toFile(cache, folder, patterns), 'utf8')));
  } catch {
    return NOTHING;
  }
}

/** Stores the result for later processes. Failures are ignored: the search is then repeated. */
export function writeHistoryCache(
  cache: string,
  folder: GitFolder,
  { patterns, known }: { patterns: readonly string[]; known: CachedHistory },
): void {
  writeCacheFile(toFile(cache, folder, patterns), known);
}

function toFile(cache: string, folder: GitFolder, patterns: readonly string[]): string {
  const key = createHash('sha256')
    .update(JSON.stringify([SECRET_FILE_RULES, folder.commonDir, patterns]))
    .digest('hex');
  return join(cache, 'history', `${key.slice(0, 32)}.json`);
}
