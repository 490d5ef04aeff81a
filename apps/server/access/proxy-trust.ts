import { BlockList, isIP } from 'node:net';

/** Ranges by the names that Express gives them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Which addresses are proxies whose headers are believed. */
export interface ProxyTrust {
  /** Whether the headers of a request that came from this address are believed. */
  trusts(remote: string): boolean;
  /**
   * Where a request came from.
   *
   * @param remote The other end of the connection.
   * @param forwarded Content of X-Forwarded-For.
   */
  clientOf(remote: string, forwarded: string | undefined): string;
}

/**
 * `true`: the one proxy before the server is trusted, whatever its address. A number: so many proxies in a row. Names
 * and ranges, separated by commas: proxies with these addresses. `false`: none.
 */
export function toProxyTrust(setting: boolean | number | string): ProxyTrust {
  const text = String(setting).trim();
  const hops = text === 'true' ? 1 : /^\d+$/.test(text) ? Number(text) : 0;
  const ranges = hops > 0 || text === 'false' || text === '0' ? undefined : toRanges(text.split(','));
  const isProxy = (address: string, at: number): boolean => {
    const family = isIP(toPlain(address));
    if (ranges === undefined) return at < hops;
    return family !== 0 && ranges.check(toPlain(address), family === 6 ? 'ipv6' : 'ipv4');
  };
  return {
    trusts: (remote) => isProxy(remote, 0),
    clientOf(remote, forwarded = '') {
      // The nearest first.
      const chain = [
        remote,
        ...forwarded
          .split(',')
          .map((each) => each.trim())
          .filter(Boolean)
          .reverse(),
      ];
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

/** An address of IPv4 that came over IPv6. */
function toPlain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
