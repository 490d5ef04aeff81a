/** Milliseconds in which wrong tokens of one address are counted. */
const WINDOW_MS = 60_000;
/** Wrong tokens after which an address waits. */
const MAX_TRIES = 20;
/** Addresses that are remembered at most. */
const MAX_ADDRESSES = 10_000;

/** Keeps whoever guesses a secret from guessing often. */
export interface FailedTries {
  /** Seconds that an address has to wait; 0 when it may try. */
  waitOf(address: string): number;
  count(address: string): void;
}

/** @param now Unix milliseconds. */
export function createFailedTries(now: () => number = Date.now): FailedTries {
  const tries = new Map<string, { since: number; count: number }>();
  return {
    waitOf(address) {
      const known = tries.get(address);
      if (!known || known.count < MAX_TRIES) return 0;
      const left = known.since + WINDOW_MS - now();
      if (left > 0) return Math.ceil(left / 1_000);
      tries.delete(address);
      return 0;
    },
    count(address) {
      const known = tries.get(address);
      if (known && known.since + WINDOW_MS > now()) {
        known.count += 1;
        return;
      }
      if (tries.size >= MAX_ADDRESSES) tries.clear();
      tries.set(address, { since: now(), count: 1 });
    },
  };
}
