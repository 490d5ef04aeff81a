/** Where an address leads, as the generator built it. */
type Kind = 'local' | 'private' | 'public';

/** An address with its class by construction. */
export interface MadeAddress {
  address: string;
  family: 4 | 6;
  kind: Kind;
}

export interface Case {
  /** `tunnel`: a CONNECT request. `plain`: a request through the proxy. `client`: a request of the web client. */
  way: 'tunnel' | 'plain' | 'client';
  /** Host and port of a tunnel, else a URL. */
  text: string;
  /** What it means by construction: a name or an address, and a port. Undefined: nothing that may be reached. */
  meaning: { host: string; port: number; literal?: MadeAddress } | undefined;
  /** The answer of the resolver; different for each question. */
  answer: readonly MadeAddress[];
}

/** A rule as text: `host`, `*.host` or `*`, with a port; 0 is any port. */
export interface MadeRule {
  host: string;
  port: number;
}

export type Random = () => number;

/** @source Mulberry32, public domain */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
const byte = (random: Random): number => Math.floor(random() * 256);

const NAMES = ['pypi.org', 'files.pypi.org', 'example.com', 'a.example.com', 'b.a.example.com', 'registry.npmjs.org'];
const CLOSE = [
  'evil-pypi.org',
  'pypi.org.evil.com',
  'notexample.com',
  'xpypi.org',
  'pypi-org',
  'npmjs.org',
  'localhost.evil.com',
];
const LOCAL_NAMES = ['localhost', 'a.localhost'];
const PORTS = [443, 80, 8080];

export function makeRules(random: Random): MadeRule[] {
  const hosts = [...NAMES, '*.example.com', '*.pypi.org', 'localhost', '127.0.0.1', '10.0.0.7'];
  const rules = Array.from({ length: 4 + Math.floor(random() * 8) }, () => ({
    host: pick(random, hosts),
    port: pick(random, [...PORTS, 0, 0, 0]),
  }));
  return random() < 0.3 ? [...rules, { host: '*', port: pick(random, [...PORTS, 0]) }] : rules;
}

/** An IPv4 address of a kind. */
function makeV4(random: Random, kind: Kind): number[] {
  const rest = (): [number, number] => [byte(random), byte(random)];
  switch (kind) {
    case 'local':
      return pick(random, [
        () => [127, byte(random), ...rest()],
        () => [0, 0, 0, 0],
        () => [169, 254, ...rest()],
        () => [169, 254, 169, 254],
        () => [100, 100, 100, 200],
        () => [168, 63, 129, 16],
        () => [224 + Math.floor(random() * 32), byte(random), ...rest()],
      ])();
    case 'private':
      return pick(random, [
        () => [10, byte(random), ...rest()],
        () => [172, 16 + Math.floor(random() * 16), ...rest()],
        () => [192, 168, ...rest()],
      ])();
    case 'public':
      return pick(random, [
        () => [151, 101, ...rest()],
        () => [8, 8, ...rest()],
        () => [172, 32 + Math.floor(random() * 100), ...rest()],
        () => [11, byte(random), ...rest()],
      ])();
  }
}

const hex = (a = 0, b = 0): string => ((a << 8) | b).toString(16);

/** An address, also IPv4 inside of IPv6, of the kind of the inner one. */
export function makeAddress(random: Random): MadeAddress {
  const kind = pick<Kind>(random, ['local', 'private', 'public', 'public']);
  if (random() < 0.2) {
    const native = {
      local: ['::1', '::', 'fe80::1', 'ff02::1', 'fd00:ec2::254'],
      private: ['fd12::7', 'fc00::1'],
      public: ['2a04:4e42::223', '2606:4700::1111'],
    };
    return { address: pick(random, native[kind]), family: 6, kind };
  }
  const v4 = makeV4(random, kind);
  const [a, b, c, d] = v4;
  const [high, low] = [hex(a, b), hex(c, d)];
  const inverted = v4.map((each) => each ^ 255);
  const forms = [
    `::ffff:${v4.join('.')}`,
    `::ffff:${high}:${low}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `::ffff:0:${high}:${low}`,
    `2001:0:1:2:3:4:${hex(inverted[0], inverted[1])}:${hex(inverted[2], inverted[3])}`,
  ];
  if (random() < 0.5) return { address: v4.join('.'), family: 4, kind };
  return { address: pick(random, forms), family: 6, kind };
}

interface Written {
  /** As it is written in a tunnel; undefined where it cannot be. */
  tunnel: string;
  tunnelHost: string | undefined;
  /** As it is written in a URL. */
  url: string;
  urlHost: string | undefined;
  literal?: MadeAddress;
}

const same = (text: string, host: string | undefined): Written => ({
  tunnel: text,
  tunnelHost: host,
  url: text,
  urlHost: host,
});

function toCyrillic(name: string): string {
  return name.replace('p', '%D1%80').replace('e', '%D0%B5');
}

/** A host in one of many spellings. */
function makeHost(random: Random): Written {
  const name = pick(random, [...NAMES, ...NAMES, ...CLOSE, ...LOCAL_NAMES]);
  const percent = name
    .split('')
    .map((char) => `%${char.charCodeAt(0).toString(16)}`)
    .join('');
  const wide = name
    .split('')
    .map((char) => (char === '.' ? '%E3%80%82' : char))
    .join('');
  const spellings: (() => Written)[] = [
    ...Array.from({ length: 10 }, () => () => same(name, name)),
    () => same(name.toUpperCase(), name),
    () => same(`${name}.`, name),
    () => same(`${name}..`, undefined),
    () => same(`.${name}`, undefined),
    () => same(`user@${name}`, undefined),
    () => same(`${name}%00.evil.com`, undefined),
    () => same(`${name} evil.com`, undefined),
    () => same(`[${name}]`, undefined),
    // A URL decodes its host, and maps other dots and letters to those of ASCII.
    () => ({ ...same(percent, undefined), urlHost: name }),
    () => (name.includes('.') ? { ...same(wide, undefined), urlHost: name } : same(name, name)),
    // A Cyrillic letter is another name.
    () => (/[pe]/.test(name) ? { ...same(toCyrillic(name), undefined), urlHost: 'another' } : same(name, name)),
    () => makeLiteral(random),
    () => makeLiteral(random),
    () => makeNumber(random),
  ];
  return pick(random, spellings)();
}

function makeLiteral(random: Random): Written {
  const literal = makeAddress(random);
  const { address, family } = literal;
  const text = family === 6 ? `[${address}]` : address;
  return { ...same(text, address), literal };
}

/** An IPv4 address in a form that only URLs and old resolvers read. */
function makeNumber(random: Random): Written {
  const kind = pick<Kind>(random, ['local', 'private', 'public']);
  const v4 = makeV4(random, kind);
  const [a = 0, b = 0, c = 0, d = 0] = v4;
  const value = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const text = pick(random, [
    `0x${value.toString(16)}`,
    String(value),
    `${a}.${b}.${(c << 8) | d}`,
    `0x${a.toString(16)}.${b}.${c}.${d}`,
  ]);
  const literal: MadeAddress = { address: v4.join('.'), family: 4, kind };
  // In a tunnel it is a name, which a resolver reads as this address.
  return { tunnel: text, tunnelHost: text, url: text, urlHost: literal.address, literal };
}

export function makeCase(random: Random, ways: readonly Case['way'][]): Case {
  const way = pick(random, ways);
  const host = makeHost(random);
  const port = pick(random, PORTS);
  const isNumber = host.tunnelHost !== host.urlHost && host.literal !== undefined;
  const answer =
    isNumber && way === 'tunnel'
      ? [host.literal!]
      : Array.from({ length: 1 + Math.floor(random() * 3) }, () => makeAddress(random));
  const literal = isNumber && way === 'tunnel' ? {} : host.literal ? { literal: host.literal } : {};
  if (way === 'tunnel') {
    const end = pick(random, [
      ...Array.from({ length: 12 }, () => `:${port}`),
      '',
      ':0',
      ':65536',
      `:${port}/`,
      `:${port}:${port}`,
    ]);
    const isPort = end === `:${port}`;
    const meaning = isPort && host.tunnelHost !== undefined ? { host: host.tunnelHost, port, ...literal } : undefined;
    return { way, text: `${host.tunnel}${end}`, meaning, answer };
  }
  const scheme = pick(random, ['http', 'http', 'http', 'http', 'http', 'HTTP', 'ftp']);
  const end = pick(random, [`:${port}`, `:${port}`, `:${port}`, '', '', ':80', ':80', ':0', ':65536']);
  const isPort = end !== ':65536' && end !== ':0';
  const meant = host.urlHost !== undefined && isPort && scheme !== 'ftp';
  const meaning = meant ? { host: host.urlHost!, port: end === '' ? 80 : Number(end.slice(1)), ...literal } : undefined;
  return { way, text: `${scheme}://${host.url}${end}/x`, meaning, answer };
}
