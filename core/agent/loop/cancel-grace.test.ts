import { describe, expect, test } from 'vitest';
import { ABANDONED, withCancelGrace } from './cancel-grace.ts';

describe('a cancelled tool', () => {
  const never = new Promise<string>(() => {});
  const clock = { now: () => 0, every: () => () => {}, sleep: () => Promise.resolve() };

  test('is abandoned if it does not end', async () => {
    const controller = new AbortController();
    const ended = withCancelGrace(never, { stop: controller.signal, clock });
    controller.abort();
    expect(await ended).toBe(ABANDONED);
  });

  test('is awaited until it is cancelled, and during the grace time', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const controller = new AbortController();
    const patient = { ...clock, sleep: () => new Promise<void>(() => {}) };
    const ended = withCancelGrace(promise, { stop: controller.signal, clock: patient });
    controller.abort();
    resolve('in time');
    expect(await ended).toBe('in time');
    expect(await withCancelGrace(Promise.resolve('done'), { stop: new AbortController().signal, clock })).toBe('done');
  });
});
