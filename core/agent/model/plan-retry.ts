import { isOutage } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import { toRetry, type FailedRequest, type Retry } from './retry.ts';

/** When a request that failed for now is sent again. Undefined: the failure is final. */
export function planRetry({ engine, state }: Work, { purpose, attempt, failure }: FailedRequest): Retry | undefined {
  const { retry } = engine.settings;
  const now = engine.clock.now();
  // A title does not wait for the end of an outage.
  const waitMs = purpose === 'title' ? 0 : Math.max(retry.waitMs, state.run?.waitForModelMs ?? 0);
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
