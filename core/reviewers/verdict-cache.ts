import type { ReviewVerdict } from './reviewer.ts';

/**
 * Verdicts of models by content. `key` is the complete content with reviewer, version and tier, so it can be large: a
 * store uses its hash.
 */
export interface VerdictCache {
  get(key: string): Promise<ReviewVerdict | undefined>;
  set(key: string, verdict: ReviewVerdict): Promise<void>;
}
