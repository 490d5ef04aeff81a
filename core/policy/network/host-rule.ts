import { KlausError, type Access, type Authority } from '../../protocol/index.ts';
import { classifyAddress, parseAddress } from './address.ts';

/** The hosts to which a connection may be opened. */
export interface HostRule {
  /** Lower case, without a final dot; an IPv6 address without brackets. `*` is any host. */
  host: string;
  /** True: all subdomains of `host`, but not `host` itself. */
  isBelow: boolean;
  /** 0 is any port. Default: the ports of HTTP and HTTPS. */
  port?: number;
  /** True: only public addresses, also for a host that is named. Default false. */
  isPublicOnly?: true;
}

const WEB_PORTS = [80, 443];
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Parses `pypi.org`, `*.example.com` or `[::1]:8080`. @throws KlausError `usage` for anything else. */
export function parseHostRule(text: string): HostRule {
  const given = parseAuthority(text.replace(/^\*\./, ''));
  if (!given) {
    throw new KlausError('usage', `${text} is not a host.`, {
      hint: 'Enter a name or an address, with a port unless it is 80 or 443: `registry.example.com`, `*.example.com`, `localhost:4873`.',
    });
  }
  const { host, port } = given;
  return { host, isBelow: text.startsWith('*.'), port };
}

/** Parses a host and port as in a URL or a CONNECT request; undefined for anything else. */
export function parseAuthority(text: string): { host: string; port?: number } | undefined {
  const [, address, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:@/\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = (address ?? name ?? '').toLowerCase().replace(/\.$/, '');
  const isValid = address === undefined ? NAME.test(host) : parseAddress(host)?.length === 16 && !host.includes('%');
  const port = digits === undefined ? undefined : Number(digits);
  if (!isValid || port === 0 || (port ?? 0) > 65_535) return undefined;
  return { host, port };
}

export function findRule(
  rules: readonly HostRule[],
  { host, port }: { host: string; port: number },
): HostRule | undefined {
  return rules.find((rule) => {
    const isHost = rule.isBelow ? host.endsWith(`.${rule.host}`) : rule.host === '*' || host === rule.host;
    return isHost && (rule.port === undefined ? WEB_PORTS.includes(port) : rule.port === 0 || rule.port === port);
  });
}

/** The rules that allow what the items of the kind `net` among these allow. */
export function toHostRules(items: readonly (Authority | Access)[]): HostRule[] {
  return items.flatMap((item) => {
    if (item.kind !== 'net') return [];
    const isBelow = item.host.startsWith('*.');
    return [{ host: isBelow ? item.host.slice(2) : item.host, isBelow, port: item.port }];
  });
}

/** True for a rule with an address or a name of this machine. */
export function isLocalRule({ host }: HostRule): boolean {
  return parseAddress(host) !== undefined || host === 'localhost' || host.endsWith('.localhost');
}

/**
 * The addresses of a host to which a connection may be opened by a rule. The connection must be opened to one of them,
 * without resolving the name again.
 *
 * - A rule with an address or a name of this machine: all.
 * - A rule with another name: no address of this machine or its link, because the owner of a name decides where it leads.
 * - A rule for any host, or with `isPublicOnly`: public addresses only.
 *
 * @param addresses As resolved, or the host itself if it is an address.
 */
export function toAllowedAddresses(rule: HostRule, addresses: readonly string[]): string[] {
  if (rule.isPublicOnly) return addresses.filter((address) => classifyAddress(address) === 'public');
  if (isLocalRule(rule)) return [...addresses];
  return addresses.filter((address) => {
    const kind = classifyAddress(address);
    return kind === 'public' || (kind === 'private' && rule.host !== '*');
  });
}
