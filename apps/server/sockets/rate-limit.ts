/** Milliseconds of the window of a limit. */
const WINDOW_MS = 60_000;

/** Limits the messages of one socket. */
export interface RateLimit {
  /** Counts a message. Returns the milliseconds to wait before the next attempt; 0 if it is allowed. */
  take(): number;
}

/** @param limit Messages in any minute; 0 is unlimited. @param now Unix milliseconds. */
export function createRateLimit(limit: number, now: () => number = Date.now): RateLimit {
  const taken: number[] = [];
  return {
    take() {
      if (limit === 0) return 0;
      const time = now();
      while (taken.length > 0 && taken[0]! <= time - WINDOW_MS) taken.shift();
      if (taken.length >= limit) return taken[0]! + WINDOW_MS - time;
      taken.push(time);
      return 0;
    },
  };
}
