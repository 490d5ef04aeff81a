import { KlausError } from '@klaus/sdk';

const WINDOW_MS = 60_000;

/**
 * Limits the messages of one socket. Returns the function that counts one.
 *
 * @param limit Messages in any minute; 0 is unlimited.
 * @throws KlausError `usage` from that function, for a message above the limit.
 */
export function createRateLimit(limit: number): () => void {
  const counted: number[] = [];
  return () => {
    if (limit === 0) return;
    const time = Date.now();
    while (counted.length > 0 && counted[0]! <= time - WINDOW_MS) counted.shift();
    if (counted.length < limit) return void counted.push(time);
    const seconds = Math.ceil((counted[0]! + WINDOW_MS - time) / 1_000);
    throw new KlausError('usage', 'Too many messages.', {
      hint: `Try again in ${seconds} s, or raise AGENT_WS_RATE_LIMIT.`,
    });
  };
}
