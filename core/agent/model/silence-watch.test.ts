import { describe, expect, test } from 'vitest';
import type { RetrySettings } from '../loop/settings.ts';
import { createSilenceWatch } from './silence-watch.ts';

const MINUTE = 60_000;

/** A watch, and a clock that only the test moves. */
function start(retry: Partial<RetrySettings>, isLocal = false) {
  let now = 0;
  let tick = (): void => {};
  const clock = {
    now: () => now,
    sleep: async () => {},
    every: (_: number, run: () => void) => {
      tick = run;
      return () => {};
    },
  };
  const settings = { retry: { attempts: 1, baseMs: 1, maxMs: 1, waitMs: 0, idleMs: MINUTE, ...retry } };
  const watch = createSilenceWatch({ clock, settings } as unknown as Parameters<typeof createSilenceWatch>[0], {
    isLocal,
    onSilence: () => {},
  });
  return {
    watch,
    pass: (ms: number) => {
      now += ms;
      tick();
      return watch.silence;
    },
  };
}

describe('silence', () => {
  test('before the first token lasts for minutes, and in the answer for the idle time', () => {
    const { watch, pass } = start({});
    watch.takeBytes();
    expect(pass(4 * MINUTE)).toBeUndefined();
    watch.takeBytes();
    watch.takeToken();
    expect(pass(MINUTE - 1)).toBeUndefined();
    expect(pass(1)).toMatchObject({ code: 'idle', message: expect.stringContaining('retry.idleMs') });
  });

  test('before the first token ends a request too, and names its setting', () => {
    expect(start({}).pass(5 * MINUTE)).toMatchObject({ message: expect.stringContaining('retry.firstTokenMs') });
    expect(start({ firstTokenMs: 100 }).pass(100)).toMatchObject({ code: 'idle' });
  });

  test('of a server of the own network may last longer, and progress renews it', () => {
    const { watch, pass } = start({}, true);
    expect(pass(59 * MINUTE)).toBeUndefined();
    watch.takeBytes();
    expect(pass(59 * MINUTE)).toBeUndefined();
    expect(pass(MINUTE)).toMatchObject({ code: 'idle' });
  });
});
