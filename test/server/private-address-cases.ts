import { hostname } from 'node:os';
import { createChance, type Chance } from '../undo/chance.ts';

/** Who asks. Only an admin has authority for addresses of the machine. */
export type Role = 'operator' | 'viewer' | 'admin';
/** The way in on which an address is named or dialled. */
export type Door =
  | 'grant'
  | 'any port'
  | 'delegable'
  | 'allowNet'
  | 'every host'
  | 'redirect'
  | 'web fetch'
  | 'shell'
  | 'agent'
  | 'project agent'
  | 'child'
  | 'prompt'
  | 'chat'
  | 'session of an admin'
  | 'fork of an admin'
  | 'approval of an admin'
  | 'clone https'
  | 'clone ssh'
  | 'clone scp'
  | 'clone submodule'
  | 'clone alternates'
  | 'clone include';
/** What listens at the address. */
export type Listener = 'witness' | 'server';

export interface AddressCase {
  index: number;
  role: Role;
  door: Door;
  listener: Listener;
  /** The host as it is named, with brackets around an IPv6 address. */
  host: string;
  name: string;
}

const DOORS: readonly (readonly [Door, number])[] = [
  ...([
    ['grant', 6],
    ['any port', 3],
    ['delegable', 2],
    ['allowNet', 6],
    ['every host', 5],
    ['redirect', 4],
    ['web fetch', 4],
    ['shell', 2],
  ] as const),
  ...([
    ['agent', 3],
    ['project agent', 3],
    ['child', 3],
    ['prompt', 2],
    ['chat', 2],
  ] as const),
  ...([
    ['session of an admin', 2],
    ['fork of an admin', 2],
    ['approval of an admin', 2],
  ] as const),
  ...([
    ['clone https', 5],
    ['clone ssh', 2],
    ['clone scp', 1],
    ['clone submodule', 1],
    ['clone alternates', 1],
  ] as const),
  ['clone include', 1],
];

/** Every way to write an address of this machine that a resolver, a parser of URLs or a program may accept. */
export function toSpellings(): readonly string[] {
  const names = ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ip6-localhost', 'ip6-loopback', hostname()];
  const numbers = [
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '0',
    '0.0',
  ];
  const dotted = ['127.0.0.1', '127.0.0.2', '127.255.255.254', '0.0.0.0'];
  const mapped = [
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '[::1%25lo]',
  ];
  const embedded = [
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[::ffff:0:7f00:1]',
    '[fe80::1%25lo]',
  ];
  const metadata = [
    '169.254.169.254',
    '[fd00:ec2::254]',
    '[::ffff:169.254.169.254]',
    'metadata.google.internal',
    '100.100.100.200',
  ];
  const others = [
    '10.0.0.1',
    '192.168.0.1',
    '172.17.0.1',
    'user@127.0.0.1',
    '127。0。0。1',
    '①②⑦.0.0.1',
    'xn--localhost-.',
    '*.localhost',
  ];
  return [dotted, dotted, names, names, numbers, numbers, mapped, mapped, embedded, metadata, others].flat();
}

export function generateCases(count: number, seed = 1): AddressCase[] {
  const chance = createChance(seed);
  const doors = DOORS.flatMap(([door, weight]) => Array.from({ length: weight }, () => door));
  return Array.from({ length: count }, (_, index) => toCase(chance, doors, index));
}

function toCase(chance: Chance, doors: readonly Door[], index: number): AddressCase {
  const door = doors[index % doors.length]!;
  const role: Role = chance.percent(10) ? 'viewer' : 'operator';
  const listener: Listener = chance.percent(30) ? 'server' : 'witness';
  const host = chance.pick(toSpellings());
  return { index, role, door, listener, host, name: `${role}, ${door}, ${host}, ${listener} (${index})` };
}
