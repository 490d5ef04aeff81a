/** Milliseconds in which a number of events is allowed. */
const WINDOW_MS = 60_000;

/** Counts what one socket sends. */
export interface RateLimit {
  /** Milliseconds until the next event is taken; 0 when this one is. */
  take(): number;
}

/** @param limit Events in any minute; 0: no limit. @param now Unix milliseconds. */
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
