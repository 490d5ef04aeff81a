import { createHash } from 'node:crypto';
import type { ReviewVerdict, VerdictCache } from '@klaus/core/reviewers';

/** A cache in memory that keeps the verdicts that were used last. @param max Default 1,000. */
export function createVerdictCache(max = 1_000): VerdictCache {
  const verdicts = new Map<string, ReviewVerdict>();
  const toHash = (key: string) => createHash('sha256').update(key).digest('hex');
  return {
    get(key) {
      const hash = toHash(key);
      const found = verdicts.get(hash);
      // The order of the map is that of the last use.
      if (found && verdicts.delete(hash)) verdicts.set(hash, found);
      return Promise.resolve(found);
    },
    set(key, verdict) {
      verdicts.set(toHash(key), verdict);
      if (verdicts.size > max) verdicts.delete(verdicts.keys().next().value!);
      return Promise.resolve();
    },
  };
}
