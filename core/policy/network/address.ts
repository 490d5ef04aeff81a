/**
 * Where an address leads. `local`: this machine, its link, multicast, or a service with machine credentials of a cloud
 * provider. `private`: a network that is not routed on the internet.
 */
export type AddressClass = 'local' | 'private' | 'public';

/**
 * The bytes of an IP address: 4, or 16. Only the usual text forms are addresses; `0x7f.1` or `2130706433` is none. The
 * zone of a link-local address (`fe80::1%eth0`) is ignored.
 */
export function parseAddress(text: string): readonly number[] | undefined {
  const [bare = '', zone, ...rest] = text.toLowerCase().split('%');
  if (rest.length > 0 || (zone !== undefined && !/^[\w.-]+$/.test(zone))) return undefined;
  return bare.includes(':') ? parseV6(bare) : zone === undefined ? parseV4(bare) : undefined;
}

function parseV4(text: string): number[] | undefined {
  const parts = text.split('.');
  const isValid = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  return isValid ? parts.map(Number) : undefined;
}

function parseV6(text: string): number[] | undefined {
  const [, before = text, dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const end = dotted === undefined ? [] : parseV4(dotted);
  if (!end) return undefined;
  const halves = (dotted === undefined ? text : `${before}${toGroups(end)}`).split('::');
  if (halves.length > 2) return undefined;
  const [left = [], right] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...left, ...(right ?? [])];
  if (groups.some((group) => !/^[0-9a-f]{1,4}$/.test(group))) return undefined;
  if (right ? groups.length > 7 : groups.length !== 8) return undefined;
  const zeros = Array.from({ length: 8 - groups.length }, () => '0');
  return [...left, ...zeros, ...(right ?? [])].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

function toGroups([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string {
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** Prefixes of IPv6 in which an IPv4 address begins at a byte. @source RFC 4291, 6052, 6145, 3056, 8215 */
const EMBEDDED: readonly { prefix: string; bits: number; at: number }[] = [
  { prefix: '::', bits: 96, at: 12 },
  { prefix: '::ffff:0:0', bits: 96, at: 12 },
  { prefix: '::ffff:0:0:0', bits: 96, at: 12 },
  { prefix: '64:ff9b::', bits: 96, at: 12 },
  { prefix: '64:ff9b:1::', bits: 48, at: 12 },
  { prefix: '2002::', bits: 16, at: 2 },
];

/**
 * @source RFC 6890; https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html;
 *   https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16;
 *   https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
 */
const LOCAL = [
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  ...['::/127', 'fe80::/10', 'fec0::/10', 'ff00::/8', 'fd00:ec2::/32'],
].map(parseNetwork);
const PRIVATE = [
  ...['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', 'fc00::/7', '100::/64', '2001:db8::/32'],
].map(parseNetwork);
/** Teredo contains the address of its client with all bits inverted. @source RFC 4380 */
const TEREDO = parseNetwork('2001::/32');

interface Network {
  bytes: readonly number[];
  bits: number;
}

function parseNetwork(text: string): Network {
  const [address = '', bits] = text.split('/');
  return { bytes: parseAddress(address)!, bits: Number(bits) };
}

function isIn(address: readonly number[], { bytes, bits }: Network): boolean {
  if (bytes.length !== address.length) return false;
  return bytes.every((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - 8 * index));
    const mask = (0xff << (8 - kept)) & 0xff;
    return (byte & mask) === (address[index]! & mask);
  });
}

const EMBEDDED_NETWORKS = EMBEDDED.map(({ prefix, bits, at }) => ({ bytes: parseAddress(prefix)!, bits, at }));

/** The class of an address; `local` for text that is no address. An IPv6 address that contains an IPv4 address has its class. */
export function classifyAddress(text: string): AddressClass {
  const address = parseAddress(text);
  if (!address || LOCAL.some((network) => isIn(address, network))) return 'local';
  if (address.length === 16) {
    const inner = EMBEDDED_NETWORKS.find((network) => isIn(address, network));
    if (inner) return classifyAddress(address.slice(inner.at, inner.at + 4).join('.'));
    if (isIn(address, TEREDO))
      return classifyAddress(
        address
          .slice(12)
          .map((byte) => byte ^ 255)
          .join('.'),
      );
  }
  return PRIVATE.some((network) => isIn(address, network)) ? 'private' : 'public';
}
