import { BlockList, isIP } from 'node:net';

/** The proxy in the user's environment. */
export interface UserProxy {
  url: URL;
  /** Value of the header `Proxy-Authorization`. */
  authorization?: string;
}

export interface ProxyTarget {
  /** Lower case, without brackets. */
  host: string;
  port: number;
  /** Whether TLS is spoken to it. Default: at every port except 80. */
  isSecure?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * The proxy for a target, from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, also in lower case. Loopback
 * addresses have none, and proxies of other kinds than http and https are ignored.
 */
export function findUserProxy(env: Environment, target: ProxyTarget): UserProxy | undefined {
  const { host, port, isSecure = port !== 80 } = target;
  const read = (name: string): string => env[name.toLowerCase()] || env[name] || '';
  if (host === 'localhost' || isLoopback(host)) return undefined;
  const noProxy = read('NO_PROXY')
    .split(/[\s,]+/)
    .filter(Boolean);
  if (noProxy.some((each) => isExcepted(each.toLowerCase(), { host, port }))) return undefined;
  return parseProxy(read(isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY') || read('ALL_PROXY'));
}

/** True for an address that only this machine has. @param host Lower case, without brackets. */
export function isLoopback(host: string): boolean {
  return isWithin(LOOPBACK, host);
}

/** Undefined for a text that is no address of an http or https proxy. Without a scheme it is one of http, as in curl. */
export function parseProxy(text: string): UserProxy | undefined {
  const full = text === '' || text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const user = [url.username, url.password].map(decode).join(':');
  return { url, ...(user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }) };
}

/** An entry of `NO_PROXY`, as in curl: `*`, a host with all below it, an address or a range of them, each with a port. */
function isExcepted(entry: string, { host, port }: { host: string; port: number }): boolean {
  if (entry === '*') return true;
  const { address, bits, name, at } =
    /^\[?(?<address>[\d.]+|[\da-f:]*:[\da-f:.]*)\]?(?:\/(?<bits>\d{1,3}))?(?::(?<at>\d+))?$/.exec(entry)?.groups ??
    /^(?:\*?\.)?(?<name>[^:/]+?)\.?(?::(?<at>\d+))?$/.exec(entry)?.groups ??
    {};
  if (at !== undefined && Number(at) !== port) return false;
  if (name !== undefined) return host === name || host.endsWith(`.${name}`);
  const family = address === undefined ? 0 : isIP(address);
  if (family === 0) return false;
  const most = family === 4 ? 32 : 128;
  const range = new BlockList();
  range.addSubnet(address!, Math.min(Number(bits ?? most), most), family === 4 ? 'ipv4' : 'ipv6');
  return isWithin(range, host);
}

function isWithin(range: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && range.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** The text itself if it is not encoded correctly. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The proxies of an environment for Node's own `setGlobalProxyFromEnv`, which knows neither `ALL_PROXY` nor hosts below
 * those of `NO_PROXY`, and rejects what is no proxy. Undefined without a proxy. Ranges of addresses are not excepted.
 */
export function toProxyEnvironment(env: Environment): Record<string, string> | undefined {
  const read = (name: string): string => env[name.toLowerCase()] || env[name] || '';
  const find = (name: string): string => parseProxy(read(name) || read('ALL_PROXY'))?.url.href ?? '';
  const proxies = { http_proxy: find('HTTP_PROXY'), https_proxy: find('HTTPS_PROXY') };
  if (proxies.http_proxy === '' && proxies.https_proxy === '') return undefined;
  const given = read('NO_PROXY')
    .split(/[\s,]+/)
    .filter(Boolean);
  const below = given.flatMap((each) => (/^[a-z]/i.test(each) ? [each, `.${each}`] : [each]));
  return { ...proxies, no_proxy: [...below, 'localhost', '127.0.0.1', '::1', '[::1]'].join(',') };
}
