import type { EventOf } from '../../protocol/index.ts';
import type { RetrySettings } from '../loop/settings.ts';
import type { ModelFailure } from '../ports/model.ts';

/** A provider that asks for a longer wait than this is not waited for. */
const LONGEST_WISH_MS = 5 * 60_000;

/** A request whose failure may pass. */
export interface FailedRequest {
  purpose: EventOf<'model.attempted'>['purpose'];
  /** The attempt that failed, from 1. */
  attempt: number;
  failure: ModelFailure;
}

/** When the next attempt comes: after a wait in milliseconds, and up to when the outage is waited out, if it is. */
export interface Retry {
  delay: number;
  /** Unix milliseconds. */
  waitUntil?: number;
}

export interface FailedAttempt {
  /** The attempt that failed, from 1. */
  attempt: number;
  retry: RetrySettings;
  /** Uniform in [0, 1). */
  random: number;
  /** The provider's wish. */
  retryAfterMs?: number | undefined;
  /** Unix milliseconds of now, and up to when this outage is waited out; absent where it is not. */
  now: number;
  waitUntil?: number | undefined;
}

/**
 * When to try again: after the provider's wish, else exponential backoff with jitter (half fixed, half random).
 * While an outage is waited out there is no end to the attempts, and the last is at the end of the wait.
 * Undefined: give up, after the last attempt or because the provider asks for too long a wait.
 */
export function toRetry(failed: FailedAttempt): Retry | undefined {
  const { attempt, retry, random, retryAfterMs, now, waitUntil = 0 } = failed;
  const left = waitUntil - now;
  const full = Math.min(retry.maxMs, retry.baseMs * 2 ** (attempt - 1));
  const delay = retryAfterMs ?? Math.round(full / 2 + (full / 2) * random);
  const isShort = retryAfterMs === undefined || retryAfterMs <= LONGEST_WISH_MS;
  if (attempt < retry.attempts && isShort) return { delay, ...(left > delay ? { waitUntil } : {}) };
  if (left <= 0 || (retryAfterMs !== undefined && retryAfterMs > left)) return undefined;
  return { delay: Math.min(delay, left), waitUntil };
}
