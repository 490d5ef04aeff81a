import { optional } from '@klaus/core/optional';
import { isIP } from 'node:net';
import { KlausError } from '@klaus/core/protocol';

export interface HostRule {
  /** Lower case, without a final dot; an IPv6 address without brackets. */
  host: string;
  /** True: all subdomains of `host`, but not `host` itself. */
  isBelow: boolean;
  /** Default: the ports of HTTP and HTTPS. */
  port?: number;
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
  return { host, isBelow: text.startsWith('*.'), ...optional({ port }) };
}

/** Parses a host and port as in a URL or a CONNECT request; undefined for anything else. */
export function parseAuthority(text: string): { host: string; port?: number } | undefined {
  const [, address, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:@/\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = (address ?? name ?? '').toLowerCase().replace(/\.$/, '');
  const isValid = address === undefined ? NAME.test(host) : isIP(host) === 6;
  const port = digits === undefined ? undefined : Number(digits);
  if (!isValid || port === 0 || (port ?? 0) > 65_535) return undefined;
  return { host, ...optional({ port }) };
}

export function findRule(
  rules: readonly HostRule[],
  { host, port }: { host: string; port: number },
): HostRule | undefined {
  return rules.find((rule) => {
    const isHost = rule.isBelow ? host.endsWith(`.${rule.host}`) : host === rule.host;
    return isHost && (rule.port === undefined ? WEB_PORTS.includes(port) : rule.port === port);
  });
}

/** True for a rule with an address or a name of this machine. */
export function isLocalRule({ host }: HostRule): boolean {
  return isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost');
}

/**
 * True for loopback and link-local addresses. Cloud providers serve machine credentials on the latter.
 *
 * @source RFC 6890, https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 */
export function isLocalAddress(address: string): boolean {
  const text = address.toLowerCase().split('%')[0]!;
  const mapped = /^::(?:ffff:(?:0:)?)?(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1] ?? fromHexadecimal(text);
  const v4 = mapped ?? text;
  if (isIP(v4) === 4) return /^(?:0|127)\./.test(v4) || v4.startsWith('169.254.') || v4 === '255.255.255.255';
  return isIP(text) !== 6 || /^(?:::1?$|fe[89ab]|ff|fd00:ec2:)/.test(text);
}

/** `::ffff:7f00:1` is 127.0.0.1. */
function fromHexadecimal(text: string): string | undefined {
  const [, high, low] = /^::ffff:(?:0:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [parseInt(high, 16), parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}
