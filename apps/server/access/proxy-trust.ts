import { BlockList, isIP } from 'node:net';

/** Address ranges by the names that Express uses. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

export type ProxyTrust = ReturnType<typeof toProxyTrust>;

/**
 * The proxies whose forwarding headers are trusted. `true` trusts one proxy in front of the server, a number that many in a row, and a list of names and ranges, separated
 * by commas, the proxies with these addresses. `false` trusts none.
 */
export function toProxyTrust(setting: boolean | number | string) {
  const text = String(setting).trim();
  const hops = text === 'true' ? 1 : /^\d+$/.test(text) ? Number(text) : 0;
  const ranges = hops > 0 || text === 'false' || text === '0' ? undefined : toRanges(text.split(','));
  const isProxy = (address: string, at: number): boolean => {
    const family = isIP(toPlain(address));
    if (ranges === undefined) return at < hops;
    return family !== 0 && ranges.check(toPlain(address), family === 6 ? 'ipv6' : 'ipv4');
  };
  return {
    /** True if proxies are trusted by their addresses, instead of by their position. */
    isByAddress: ranges !== undefined,
    /** True if the headers of a request from this address are trusted. */
    isTrusted: (remote: string): boolean => isProxy(remote, 0),
    /** The address of the client. @param forwarded Content of X-Forwarded-For. */
    clientOf(remote: string, forwarded = ''): string {
      const sent = forwarded.split(',').map((each) => each.trim());
      // The nearest first.
      const chain = [remote, ...sent.filter(Boolean).reverse()];
      const at = chain.findIndex((address, index) => isIP(toPlain(address)) === 0 || !isProxy(address, index));
      return chain[at < 0 ? chain.length - 1 : at]!;
    },
  };
}

function toRanges(words: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of words.flatMap((word) => NAMED[word.trim()] ?? [word.trim()])) {
    const [address = '', length] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function toPlain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
