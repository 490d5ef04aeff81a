import type { RetrySettings } from './settings.ts';

/** A provider that asks for a longer wait than this is not waited for. */
const LONGEST_WISH_MS = 5 * 60_000;

/**
 * Milliseconds to wait before the next attempt: the provider's wish, else exponential backoff with jitter
 * (half fixed, half random). Undefined: give up, because the provider asks for too long a wait.
 *
 * @param attempt The attempt that failed, from 1.
 * @param random Uniform in [0, 1).
 */
export function toRetryDelay(
  attempt: number,
  options: { retry: RetrySettings; random: number; retryAfterMs?: number | undefined },
): number | undefined {
  const { retry, random, retryAfterMs } = options;
  if (retryAfterMs !== undefined) return retryAfterMs > LONGEST_WISH_MS ? undefined : retryAfterMs;
  const full = Math.min(retry.maxMs, retry.baseMs * 2 ** (attempt - 1));
  return Math.round(full / 2 + (full / 2) * random);
}
