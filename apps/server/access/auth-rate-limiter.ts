import { isIPv6 } from 'node:net';

/** Milliseconds in which wrong tokens of one address are counted. */
const WINDOW_MS = 60_000;
/** Wrong tokens after which an address waits. */
const MAX_TRIES = 20;
/** Addresses, and wrong cookies, that are kept in mind at most. */
const MAX_KNOWN = 10_000;

/** Keeps a client that guesses a secret from guessing often. */
export interface AuthRateLimiter {
  /** Seconds that an address has to wait; 0 when it may try. */
  waitOf(address: string): number;
  /** A wrong token came from there. */
  count(address: string): void;
  /** The right token came from there: whatever else comes from there, it is let in from now on. */
  trust(address: string): void;
  isTrusted(address: string): boolean;
  /** False for a wrong cookie that was counted before: a page that still has one of yesterday guesses nothing. */
  isNewCookie(cookie: string): boolean;
}

/** @param now Unix milliseconds. */
export function createAuthRateLimiter(now: () => number = Date.now): AuthRateLimiter {
  const tries = new Map<string, { since: number; count: number }>();
  const cookies = new Set<string>();
  const trusted = new Set<string>();
  return {
    waitOf(address) {
      const known = tries.get(toNetwork(address));
      if (!known || known.count < MAX_TRIES) return 0;
      const left = known.since + WINDOW_MS - now();
      return left > 0 ? Math.ceil(left / 1_000) : 0;
    },
    count(address) {
      const network = toNetwork(address);
      const known = tries.get(network);
      if (known && known.since + WINDOW_MS > now()) {
        known.count += 1;
        return;
      }
      // The oldest goes: many addresses do not make the others be forgotten at once.
      tries.delete(network);
      dropOldest(tries);
      tries.set(network, { since: now(), count: 1 });
    },
    trust(address) {
      if (!trusted.has(address)) dropOldest(trusted);
      trusted.add(address);
    },
    isTrusted: (address) => trusted.has(address),
    isNewCookie(cookie) {
      const value = cookie.slice(0, 200);
      if (cookies.has(value)) return false;
      dropOldest(cookies);
      cookies.add(value);
      return true;
    },
  };
}

function dropOldest(known: Map<string, unknown> | Set<string>): void {
  if (known.size < MAX_KNOWN) return;
  for (const key of known.keys()) {
    known.delete(key);
    return;
  }
}

/** One machine has a whole /64 of IPv6 addresses. */
function toNetwork(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase();
  if (!isIPv6(bare)) return bare;
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
