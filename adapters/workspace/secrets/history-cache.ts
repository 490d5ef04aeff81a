import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFile } from '@klaus/adapters/system';
import { SECRET_FILE_RULES } from '@klaus/core/policy';
import { z } from 'zod';
import type { GitFolder } from './git-folder.ts';

const schema = z.object({
  /** Commits that were looked at with everything that they follow. */
  commits: z.array(z.string()),
  /** Object id and path of each secret file in them. */
  blobs: z.array(z.tuple([z.string(), z.string()])),
});

/** Which secret files the history of a repository holds, as far as it was looked at. No contents. */
export type CachedHistory = z.infer<typeof schema>;

const NOTHING: CachedHistory = { commits: [], blobs: [] };

/**
 * What an earlier program found, by the rules of today. A commit never changes, so only new ones need to be looked at.
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

/** Keeps it for later programs. What cannot be kept is found again. */
export function writeHistoryCache(
  cache: string,
  folder: GitFolder,
  { patterns, known }: { patterns: readonly string[]; known: CachedHistory },
): void {
  keepFile(toFile(cache, folder, patterns), known);
}

function toFile(cache: string, folder: GitFolder, patterns: readonly string[]): string {
  const key = createHash('sha256')
    .update(JSON.stringify([SECRET_FILE_RULES, folder.commonDir, patterns]))
    .digest('hex');
  return join(cache, 'history', `${key.slice(0, 32)}.json`);
}
