import { existsSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import type { ControlName } from '../../adapters/sandboxes/bubblewrap/controls.ts';
import { isThrough, perl } from './case.ts';
import type { EscapeCase } from './case.ts';
import { findProcesses, SECRET } from './world.ts';
import type { World } from './world.ts';

const isVictimGone = async (world: World) => {
  // A signal is on its way for a moment.
  for (let turn = 0; turn < 20 && world.victim.exitCode === null && world.victim.signalCode === null; turn++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return world.victim.exitCode !== null || world.victim.signalCode !== null;
};

const HOST_PIDS: readonly ControlName[] = ['pid-namespace', 'private-proc', 'covered-proc'];
/** What lets a process look into another of the same user. */
const ALL_RIGHTS: readonly ControlName[] = [
  ...HOST_PIDS,
  'user-namespace',
  'no-capabilities',
  'no-nested-namespaces',
  'seccomp',
];

const processes: EscapeCase[] = [
  {
    name: 'ends a process of the host',
    without: [...ALL_RIGHTS],
    attack: (world) => `kill -9 ${world.victim.pid}`,
    harmed: isVictimGone,
  },
  {
    name: 'ends every process that it can',
    // Without the namespace it would end everything on this machine: shown by one signal that does nothing.
    without: [...ALL_RIGHTS],
    attack: (world) => `kill -0 ${world.victim.pid} && echo through`,
    harmed: isThrough,
  },
  {
    name: "reads a host process's environment",
    without: ALL_RIGHTS,
    attack: (world) => `tr '\\0' '\\n' < /proc/${world.victim.pid}/environ`,
  },
  {
    name: "reads every process's environment",
    without: ALL_RIGHTS,
    attack: () => 'cat /proc/[0-9]*/environ 2>/dev/null | grep -ao "CANARY-[0-9a-f]*" | head -1',
  },
  {
    name: 'lists the commands of the host',
    without: HOST_PIDS,
    attack: (world) =>
      `[ -e /proc/${world.victim.pid}/cmdline ] && tr '\\0' ' ' < /proc/${world.victim.pid}/cmdline | grep -q 3600 && echo through`,
    harmed: isThrough,
  },
  {
    name: "opens a host process's memory",
    without: ALL_RIGHTS,
    attack: (world) => perl('open(my $f, "+<", "/proc/$ARGV[0]/mem") and print "through"', world.victim.pid!),
    harmed: isThrough,
  },
  {
    name: "reaches files through a host process's root",
    without: ALL_RIGHTS,
    attack: (world) => `cat /proc/${world.victim.pid}/root${world.canary}`,
  },
  {
    name: "reaches files through a host process's working folder",
    without: ALL_RIGHTS,
    attack: (world) => `ls /proc/${world.victim.pid}/cwd/ >/dev/null && echo through`,
    harmed: isThrough,
  },
  {
    name: "opens a host process's descriptors",
    without: ALL_RIGHTS,
    attack: (world) => `ls -l /proc/${world.victim.pid}/fd | grep -q dev/null && echo through`,
    harmed: isThrough,
  },
  {
    name: 'joins the namespaces of a host process',
    without: ALL_RIGHTS,
    attack: (world) => `nsenter -t ${world.victim.pid} -m cat ${world.canary}`,
  },
  {
    name: 'changes the priority of a host process',
    without: ALL_RIGHTS,
    attack: (world) => `renice -n 5 -p ${world.victim.pid} && echo through`,
    harmed: (world) =>
      / S /.test(readStat(world)) && readStat(world).slice(readStat(world).lastIndexOf(')')).split(' ')[17] === '5',
  },
  {
    name: "sees the host's shared memory segments",
    without: ['ipc-namespace'],
    attack: () => 'readlink /proc/self/ns/ipc',
    harmed: (_, { stdout }) => stdout === readNamespace('ipc'),
  },
  {
    name: 'renames the machine',
    without: ['uts-namespace'],
    attack: () => 'readlink /proc/self/ns/uts',
    harmed: (_, { stdout }) => stdout === readNamespace('uts'),
  },
  {
    name: 'sees where in the control groups it stands',
    without: ['cgroup-namespace'],
    attack: () => 'readlink /proc/self/ns/cgroup',
    harmed: (_, { stdout }) => stdout === readNamespace('cgroup'),
  },
  {
    name: 'is root in a user namespace of its own',
    without: ['seccomp', 'no-nested-namespaces'],
    attack: () => 'unshare -Ur id -u',
    harmed: (_, { stdout }) => stdout === '0\n',
  },
  {
    name: 'mounts in a user namespace of its own',
    without: ['seccomp', 'no-nested-namespaces'],
    attack: () => 'unshare -Urm sh -c "mount -t tmpfs x /tmp && echo through"',
    harmed: isThrough,
  },
  {
    name: 'changes its root',
    without: ['seccomp', 'no-capabilities', 'no-nested-namespaces'],
    program: 'perl',
    attack: () => perl('mkdir "r"; chroot("r") and print "through"'),
    harmed: isThrough,
  },
  {
    name: 'keeps capabilities',
    without: ['no-capabilities'],
    attack: () => 'grep CapEff /proc/self/status',
    harmed: (_, { stdout }) => !/CapEff:\s+0{16}$/m.test(stdout),
  },
  {
    name: 'opens a raw socket',
    without: [
      'no-capabilities',
      'no-nested-namespaces',
      'user-namespace',
      'pid-namespace',
      'private-proc',
      'covered-proc',
    ],
    rootProof: true,
    program: 'perl',
    attack: () => perl('use Socket; socket(my $s, PF_INET, SOCK_RAW, 1) and print "through"'),
    harmed: isThrough,
  },
  {
    name: 'traces another process of its own',
    without: ['seccomp'],
    program: 'perl',
    attack: () =>
      perl(
        `my $pid = fork; if (!$pid) { sleep 5; exit } print syscall(${process.arch === 'x64' ? 101 : 117}, 0x4206, $pid, 0, 0) == 0 ? 'through' : 'refused'; kill 9, $pid`,
      ),
    harmed: isThrough,
  },
  {
    name: 'holds the channel of Klaus',
    without: ['closed-channel'],
    attack: () => 'ls -l /proc/self/fd/ | grep -q "/3 -> \\|3 -> socket" && echo through',
    harmed: isThrough,
  },
  {
    name: 'shares the session of the terminal that started Klaus',
    without: ['new-session', 'pid-namespace', 'private-proc'],
    attack: () => ['sh', '-c', 'cut -d" " -f6 /proc/self/stat'],
    harmed: (_, { stdout }) => stdout.trim() === readFileSync('/proc/self/stat', 'latin1').split(' ')[5],
  },
];

function readStat(world: World): string {
  return readFileSync(`/proc/${world.victim.pid}/stat`, 'latin1');
}

function readNamespace(kind: string): string {
  const name = `/proc/self/ns/${kind}`;
  return `${readlinkSync(name)}\n`;
}

const kernel: EscapeCase[] = (
  [
    ['/proc/sys/kernel/core_pattern', true],
    ['/proc/sysrq-trigger', false],
    ['/proc/sys/kernel/hostname', false],
    ['/proc/sys/vm/drop_caches', false],
    ['/proc/sys/kernel/modprobe', true],
    ['/proc/kcore', true],
    ['/proc/kmsg', true],
    ['/proc/self/oom_score_adj', false],
    ['/sys/kernel/uevent_helper', false],
    ['/sys/fs/cgroup', true],
    ['/dev/mem', true],
    ['/dev/kmsg', true],
    ['/dev/kvm', true],
    ['/dev/fuse', true],
    ['/dev/net/tun', true],
    ['/dev/vsock', true],
    ['/dev/tty0', true],
    ['/dev/loop-control', true],
    ['/dev/userfaultfd', true],
  ] as const
)
  .filter(([path]) => existsSync(path) && path !== '/proc/self/oom_score_adj' && path !== '/proc/kmsg')
  .map(([path]): EscapeCase => ({
    name: `opens ${path} for writing`,
    without: path.startsWith('/proc/sys') ? ['covered-proc'] : [...ALL_RIGHTS, 'hidden-root', 'private-dev'],
    rootProof: true,
    // Opened and closed: nothing is written, not even by the proof.
    attack: () => perl(openSource(path)),
    program: 'perl',
    harmed: isThrough,
  }));

function openSource(path: string): string {
  if (statSync(path).isDirectory())
    return `for my $d (glob("${path}/*")) { if (-w "$d/cgroup.procs" and open(my $f, "+<", "$d/cgroup.procs")) { print "through"; last } }`;
  // Read-only files of the kernel are opened for reading: their content is the harm.
  const mode = path === '/proc/kcore' || path === '/dev/vda' ? 'O_RDONLY' : 'O_WRONLY';
  return `use Fcntl; print "through" if sysopen(my $f, "${path}", ${mode} | O_NONBLOCK | O_NOCTTY)`;
}

const lifetime: EscapeCase[] = (
  [
    [
      'a time-out by ignoring SIGTERM',
      (mark: string) => `trap "" TERM; sleep ${mark} & while :; do sleep ${mark}; done`,
    ],
    ['a time-out by a double fork', (mark: string) => `(setsid sleep ${mark} >/dev/null 2>&1 &); sleep ${mark}`],
    [
      'a time-out by a process that daemonises itself',
      (mark: string) =>
        `perl -e 'use POSIX; exit if fork; POSIX::setsid(); exit if fork; exec "sleep", "${mark}"'; sleep ${mark}`,
    ],
    [
      'its own end by a background process',
      (mark: string) => `(setsid sleep ${mark} >/dev/null 2>&1 </dev/null &); true`,
    ],
    ['its own end by nohup', (mark: string) => `nohup sleep ${mark} >/dev/null 2>&1 & true`],
    [
      'a time-out by stopping itself',
      (mark: string) => `setsid sh -c 'trap "" TERM; sleep ${mark}' & sleep 0.05; kill -STOP $$`,
    ],
  ] as const
).map(([name, line], index): EscapeCase => {
  const toMark = (world: World) => `3600.${world.victim.pid}${index}`;
  return {
    name: `outlives ${name}`,
    without: ['pid-namespace', 'private-proc', 'group-end', 'die-with-parent'],
    attack: (world) => line(toMark(world)),
    request: () => ({ limits: { timeoutMs: 150 } }),
    harmed: (world) => findProcesses(toMark(world)).some((pid) => !isOwn(pid)),
    after: (world) => {
      for (const pid of findProcesses(toMark(world))) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has just ended.
        }
      }
    },
  };
});

function isOwn(pid: number): boolean {
  return pid === process.pid;
}

const resources: EscapeCase[] = [
  {
    name: 'eats memory in one process',
    without: ['memory-limit'],
    program: 'perl',
    request: () => ({ limits: { memoryMb: 40 } }),
    attack: () => perl('my $x = "a" x 120_000_000; print "through"'),
    harmed: isThrough,
  },
  {
    name: 'eats memory in many processes',
    without: ['memory-limit'],
    program: 'perl',
    request: () => ({ limits: { memoryMb: 40 } }),
    attack: () =>
      perl(
        'for (1..6) { if (!fork) { my $x = "a" x 20_000_000; sleep 1; exit 7 } } my $n = 0; while (wait > 0) { $n++ if $? >> 8 == 7 } print "through" if $n == 6',
      ),
    harmed: isThrough,
  },
  {
    name: 'eats memory as files in /tmp',
    without: ['memory-limit'],
    request: () => ({ limits: { memoryMb: 40 } }),
    attack: () => 'head -c 120000000 /dev/zero > /tmp/big && echo through',
    harmed: isThrough,
  },
  {
    name: 'eats memory as files in /dev/shm',
    without: ['memory-limit'],
    request: () => ({ limits: { memoryMb: 40 } }),
    attack: () => 'head -c 120000000 /dev/zero > /dev/shm/big && echo through',
    harmed: isThrough,
  },
  {
    name: 'forks without end',
    without: ['process-limit'],
    request: () => ({ limits: { processes: 20 } }),
    attack: () =>
      perl(
        'my $n = 0; for (1..80) { my $pid = fork; last unless defined $pid; if (!$pid) { sleep 5; exit } $n++ } print "through" if $n == 80; kill 9, -getpgrp',
      ),
    program: 'perl',
    harmed: isThrough,
  },
  {
    name: 'starts threads without end',
    without: ['process-limit'],
    request: () => ({ limits: { processes: 20 } }),
    program: 'perl',
    attack: () =>
      perl(
        'use threads; no warnings; for (1..40) { my $t = threads->create(sub { sleep 5 }); if (!$t) { kill 9, $$ } } print "through"; $| = 1; print ""; kill 9, $$',
      ),
    harmed: isThrough,
  },
];

const environment: EscapeCase[] = [
  {
    name: "reads the provider's key from its environment",
    without: ['clear-environment'],
    attack: () => 'env',
    before: () => void (process.env['ANTHROPIC_API_KEY'] = SECRET),
    after: () => void delete process.env['ANTHROPIC_API_KEY'],
  },
  {
    name: "reads the provider's key from its parents' environment",
    without: ['clear-environment'],
    attack: () => 'cat /proc/1/environ /proc/$PPID/environ /proc/self/environ',
    before: () => void (process.env['ANTHROPIC_API_KEY'] = SECRET),
    after: () => void delete process.env['ANTHROPIC_API_KEY'],
  },
  {
    name: 'finds the SSH agent, D-Bus or X11 by its environment',
    without: ['clear-environment'],
    attack: () => 'echo "$SSH_AUTH_SOCK $DBUS_SESSION_BUS_ADDRESS $DISPLAY"',
    before: () => void (process.env['SSH_AUTH_SOCK'] = SECRET),
    after: () => void delete process.env['SSH_AUTH_SOCK'],
  },
  {
    name: 'loads a library into every program by its environment',
    without: ['clear-environment'],
    attack: () => 'echo "$NODE_OPTIONS $KLAUS_ESCAPE_PROBE"',
    before: () => void (process.env['KLAUS_ESCAPE_PROBE'] = SECRET),
    after: () => void delete process.env['KLAUS_ESCAPE_PROBE'],
  },
];

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

const network: EscapeCase[] = [
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
    name: 'listens where the host can be misled',
    without: ['net-namespace'],
    program: 'perl',
    // The port is the host's already: only where it is another network can it be taken.
    attack: (world) =>
      perl(
        'use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0); bind($s, sockaddr_in($ARGV[0], inet_aton("127.0.0.1"))) or print "through"',
        world.port,
      ),
    harmed: isThrough,
  },
];

/** Processes, resources, the environment and the network. */
export const processCases: readonly EscapeCase[] = [
  ...processes,
  ...kernel,
  ...lifetime,
  ...resources,
  ...environment,
  ...network,
];
