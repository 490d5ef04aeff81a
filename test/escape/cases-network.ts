import type { ControlName } from '../../adapters/sandboxes/bubblewrap/controls.ts';
import { isThrough, perl } from './case.ts';
import type { EscapeCase } from './case.ts';
import { readNamespace } from './cases-processes.ts';
import { SECRET } from './world.ts';
import type { World } from './world.ts';

const connects = (
  name: string,
  source: string,
  without: readonly ControlName[],
  words: (world: World) => (string | number)[],
): EscapeCase => ({
  name: `connects to ${name}`,
  without,
  program: 'perl',
  attack: (world) =>
    perl(
      `use Socket qw(:DEFAULT inet_pton pack_sockaddr_in6 AF_INET6 PF_INET6); ${source} print $s "hello"; print <$s>;`,
      ...words(world),
    ),
  harmed: (world, { stdout }) => stdout.includes(SECRET) || world.received() !== '',
});

const TCP = (address: string) =>
  `socket(my $s, PF_INET, SOCK_STREAM, 0); connect($s, sockaddr_in($ARGV[0], inet_aton('${address}'))) or exit 1;`;
const UNIX = `socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])) or exit 1;`;

/** The network. */
export const networkCases: readonly EscapeCase[] = [
  connects("the host's loopback", TCP('127.0.0.1'), ['net-namespace'], (world) => [world.port]),
  connects("the host's loopback by 0.0.0.0", TCP('0.0.0.0'), ['net-namespace'], (world) => [world.port]),
  connects(
    "the host's loopback by IPv6",
    `socket(my $s, PF_INET6, SOCK_STREAM, 0); connect($s, pack_sockaddr_in6($ARGV[0], inet_pton(AF_INET6, '::ffff:127.0.0.1'))) or exit 1;`,
    ['net-namespace'],
    (world) => [world.port],
  ),
  connects('a Unix socket of the host, such as an agent or docker.sock', UNIX, ['hidden-root'], (world) => [
    world.socket,
  ]),
  connects(
    'a Unix socket by a symlink',
    `symlink $ARGV[0], 'sock'; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un('sock')) or exit 1;`,
    ['hidden-root'],
    (world) => [world.socket],
  ),
  connects(
    'a Unix socket by /proc/self/root',
    `socket(my $s, PF_UNIX, SOCK_STREAM, 0); chdir "/proc/self/root$ARGV[0]/.."; chdir $ARGV[1]; connect($s, sockaddr_un('agent.sock')) or exit 1;`,
    ['hidden-root'],
    (world) => [world.socket, world.root],
  ),
  connects('a Unix socket in the workspace', UNIX, ['masks'], (world) => [world.shownSocket]),
  {
    ...connects('a Unix socket in a folder that is only read', UNIX, ['masks'], (world) => [world.socket]),
    request: (world) => ({ readable: [world.root] }),
  },
  connects(
    'an abstract Unix socket',
    `socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, pack('S a*', 1, "\\0$ARGV[0]")) or exit 1;`,
    ['net-namespace'],
    (world) => [world.abstract],
  ),
  {
    name: "sees the host's network interfaces and routes",
    without: ['net-namespace'],
    attack: () => 'readlink /proc/self/ns/net',
    harmed: (_, { stdout }) => stdout === readNamespace('net'),
  },
  {
    name: 'listens on a port of the host',
    without: ['net-namespace'],
    program: 'perl',
    // The host already uses the port, so it is free only in another network.
    attack: (world) =>
      perl(
        'use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0); bind($s, sockaddr_in($ARGV[0], inet_aton("127.0.0.1"))) or print "through"',
        world.port,
      ),
    harmed: isThrough,
  },
];
