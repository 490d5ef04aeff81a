import { describe, expect, test } from 'vitest';
import { toRetry, type FailedAttempt } from './retry.ts';

describe('retry', () => {
  const retry = { attempts: 5, baseMs: 100, maxMs: 1_000, waitMs: 0, idleMs: 1 };
  const delayOf = (failed: Partial<FailedAttempt>) =>
    toRetry({ attempt: 1, retry, random: 0, now: 0, ...failed })?.delay;

  test('backs off exponentially with jitter, up to the cap, for a limited number of attempts', () => {
    expect(delayOf({})).toBe(50);
    expect(delayOf({ attempt: 3, random: 1 })).toBe(400);
    expect(delayOf({ attempt: 9, random: 1, retry: { ...retry, attempts: 10 } })).toBe(1_000);
    expect(delayOf({ attempt: 5 })).toBeUndefined();
  });
  test('waits as long as the provider asks, up to a limit', () => {
    expect(delayOf({ retryAfterMs: 7_000 })).toBe(7_000);
    expect(delayOf({ retryAfterMs: 3_600_000 })).toBeUndefined();
  });
  test('waits for the end of an outage: any number of attempts, a last one at its end, and longer waits that the provider asks for', () => {
    const hour = 3_600_000;
    expect(toRetry({ attempt: 2_000, retry, random: 1, now: 7, waitUntil: hour })).toEqual({
      delay: 1_000,
      waitUntil: hour,
    });
    expect(delayOf({ attempt: 9, now: hour - 30, waitUntil: hour })).toBe(30);
    expect(delayOf({ attempt: 9, now: hour, waitUntil: hour })).toBeUndefined();
    expect(delayOf({ retryAfterMs: hour / 2, waitUntil: hour })).toBe(hour / 2);
    expect(delayOf({ retryAfterMs: 2 * hour, waitUntil: hour })).toBeUndefined();
  });
});
