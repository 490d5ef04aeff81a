import { isOutage, type EventOf } from '../../protocol/index.ts';
import type { Engine } from '../loop/engine.ts';
import type { RetrySettings } from '../loop/settings.ts';
import type { ModelFailure } from '../ports/model.ts';
import type { State } from '../state/state.ts';

/** Maximum wait that a provider can ask for. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** A request whose failure may pass. */
export interface FailedRequest {
  purpose: EventOf<'model.attempted'>['purpose'];
  /** The attempt that failed, from 1. */
  attempt: number;
  failure: ModelFailure;
  /** True if the next attempt requests a shorter answer, for which there is no reason to wait. Default false. */
  isShortened?: boolean;
}

/** The wait before the next attempt in milliseconds, and the end of the wait for an outage. */
export interface Retry {
  delay: number;
  /** Unix milliseconds; absent if the outage is not waited out. */
  waitUntil?: number;
}

export interface FailedAttempt {
  /** The attempt that failed, from 1. */
  attempt: number;
  retry: RetrySettings;
  /** Uniform in [0, 1). */
  random: number;
  /** Milliseconds that the provider asked to wait. */
  retryAfterMs?: number;
  /** Unix milliseconds. `waitUntil` is absent if the outage is not waited out. */
  now: number;
  waitUntil?: number;
}

export function planRetry(
  { engine, state, choice }: { engine: Engine; state: State; choice: { isFirst: boolean } },
  { purpose, attempt, failure, isShortened = false }: FailedRequest,
): Retry | undefined {
  if (isShortened) return { delay: 0 };
  const isTurn = purpose === 'turn';
  // Another model answers while this one is tried again.
  if (isTurn && state.substitute && choice.isFirst) return undefined;
  const { retry } = engine.settings;
  const now = engine.clock.now();
  // A title does not wait for the end of an outage, nor does a turn that another model can answer.
  const waitMs =
    purpose === 'title' || (isTurn && hasFallback(state)) ? 0 : Math.max(retry.waitMs, state.run?.waitForModelMs ?? 0);
  const isWaitedOut = waitMs > 0 && isOutage(failure.code);
  return toRetry({
    attempt,
    retry,
    random: engine.ids.random(),
    retryAfterMs: failure.retryAfterMs,
    now,
    waitUntil: isWaitedOut ? (state.failingSince ?? now) + waitMs : undefined,
  });
}

/**
 * When to retry: after the time that the provider asks for, otherwise with exponential backoff and jitter (half fixed,
 * half random). While an outage is waited out the number of attempts is unlimited, and the last one is at the end of the
 * wait. Undefined after the last attempt, or if the provider asks for too long a wait.
 */
export function toRetry(failed: FailedAttempt): Retry | undefined {
  const { attempt, retry, random, retryAfterMs, now, waitUntil = 0 } = failed;
  const left = waitUntil - now;
  const full = Math.min(retry.maxMs, retry.baseMs * 2 ** (attempt - 1));
  const delay = retryAfterMs ?? Math.round(full / 2 + (full / 2) * random);
  const isShort = retryAfterMs === undefined || retryAfterMs <= MAX_RETRY_AFTER_MS;
  if (attempt < retry.attempts && isShort) return { delay, ...(left > delay ? { waitUntil } : {}) };
  if (left <= 0 || (retryAfterMs !== undefined && retryAfterMs > left)) return undefined;
  return { delay: Math.min(delay, left), waitUntil };
}

/** True if another model can answer a turn when this one fails. */
function hasFallback({ fallback, substitute }: Pick<State, 'fallback' | 'substitute'>): boolean {
  return substitute ? fallback.at(-1) !== substitute.model : fallback.length > 0;
}
