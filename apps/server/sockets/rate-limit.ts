import { KlausError } from '@klaus/sdk';

/** Milliseconds of the window of a limit. */
const WINDOW_MS = 60_000;

/** Limits the messages of one socket. */
export interface RateLimit {
  /** Counts a message. @throws KlausError `usage` for one above the limit. */
  count(): void;
}

/** @param limit Messages in any minute; 0 is unlimited. @param now Unix milliseconds. */
export function createRateLimit(limit: number, now: () => number = Date.now): RateLimit {
  const counted: number[] = [];
  return {
    count() {
      if (limit === 0) return;
      const time = now();
      while (counted.length > 0 && counted[0]! <= time - WINDOW_MS) counted.shift();
      if (counted.length < limit) return void counted.push(time);
      const seconds = Math.ceil((counted[0]! + WINDOW_MS - time) / 1_000);
      throw new KlausError('usage', 'Too many messages.', {
        hint: `Try again in ${seconds} s, or raise AGENT_WS_RATE_LIMIT.`,
      });
    },
  };
}
