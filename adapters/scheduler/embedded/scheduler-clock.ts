import type { Clock } from '@klaus/core/agent';

/** The longest time that Node's timers can wait, in milliseconds. */
const MAX_MS = 2 ** 31 - 1;

/** The clock of the machine. Its timers do not keep the process alive, and one longer than 24 days ends earlier. */
export const MACHINE_CLOCK: Clock = {
  now: () => Date.now(),
  sleep(ms, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(ms, MAX_MS)).unref();
      signal?.addEventListener('abort', end, { once: true });
    });
  },
  every(ms, tick) {
    const timer = setInterval(tick, ms).unref();
    return () => clearInterval(timer);
  },
};
