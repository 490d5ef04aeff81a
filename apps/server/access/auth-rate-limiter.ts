import { headOf } from '@klaus/sdk/cut-text';
import { isIPv6 } from 'node:net';

/** Milliseconds of the window in which the wrong tokens of one address are counted. */
const WINDOW_MS = 60_000;
/** Wrong tokens after which an address must wait. */
const MAX_FAILURES = 20;
/** Most addresses and wrong cookies that are remembered. */
const MAX_ENTRIES = 10_000;

/** Limits how often an address may send a wrong token. */
export function createAuthRateLimiter() {
  const failures = new Map<string, { since: number; count: number }>();
  const cookies = new Set<string>();
  const trusted = new Set<string>();
  return {
    /** Seconds until the address may try again; 0 when it may now. */
    secondsToWait(address: string): number {
      const known = failures.get(toNetwork(address));
      if (!known || known.count < MAX_FAILURES) return 0;
      const left = known.since + WINDOW_MS - Date.now();
      return left > 0 ? Math.ceil(left / 1_000) : 0;
    },
    recordFailure(address: string): void {
      const network = toNetwork(address);
      const known = failures.get(network);
      if (known && known.since + WINDOW_MS > Date.now()) {
        known.count += 1;
        return;
      }
      // Only the oldest entry is dropped, so that many addresses do not reset the others.
      failures.delete(network);
      dropOldest(failures);
      failures.set(network, { since: Date.now(), count: 1 });
    },
    /** The address sent the right token: from now on it is accepted there regardless of wrong ones. */
    trust(address: string): void {
      if (!trusted.has(address)) dropOldest(trusted);
      trusted.add(address);
    },
    isTrusted: (address: string): boolean => trusted.has(address),
    /** False for a wrong cookie that was counted before: an open page with an old cookie is not an attack. */
    isNewCookie(cookie: string): boolean {
      const value = headOf(cookie, 200);
      if (cookies.has(value)) return false;
      dropOldest(cookies);
      cookies.add(value);
      return true;
    },
  };
}

function dropOldest(known: Map<string, unknown> | Set<string>): void {
  if (known.size >= MAX_ENTRIES) known.delete(known.keys().next().value!);
}

/** One machine can use any address of its IPv6 /64. */
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
