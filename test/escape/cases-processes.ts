import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import type { ControlName } from '../../adapters/sandboxes/bubblewrap/controls.ts';
import { isThrough, perl } from './case.ts';
import type { EscapeCase } from './case.ts';
import { findProcesses } from './world.ts';
import type { World } from './world.ts';

/** True on a machine without version 2 control groups at their usual place. */
const HAS_GROUPS_V1 = !existsSync('/sys/fs/cgroup/cgroup.controllers');

const isVictimGone = async ({ victim }: World) => {
  const isGone = (): boolean => victim.exitCode !== null || victim.signalCode !== null;
  // The delivery of a signal takes a moment.
  if (!isGone()) await once(victim, 'exit', { signal: AbortSignal.timeout(1_000) }).catch(() => {});
  return isGone();
};

const HOST_PIDS: readonly ControlName[] = ['pid-namespace', 'private-proc', 'covered-proc'];
/** Controls that prevent a process from reading another one of the same user. */
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
    // Without the namespace it would end all processes of this machine: the proof sends signal 0 to one.
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
    name: 'sees its control group',
    without: ['cgroup-namespace'],
    ...(HAS_GROUPS_V1 ? { podLimit: 'with version 1 control groups, runtimes share their namespace' } : {}),
    attack: () => 'readlink /proc/self/ns/cgroup',
    harmed: (_, { stdout }) => stdout === readNamespace('cgroup'),
  },
  {
    name: 'is root in its own user namespace',
    without: ['seccomp', 'no-nested-namespaces'],
    attack: () => 'unshare -Ur id -u',
    harmed: (_, { stdout }) => stdout === '0\n',
  },
  {
    name: 'mounts in its own user namespace',
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
    name: 'traces one of its own processes',
    without: ['seccomp'],
    program: 'perl',
    attack: () =>
      perl(
        `my $pid = fork; if (!$pid) { sleep 5; exit } print syscall(${process.arch === 'x64' ? 101 : 117}, 0x4206, $pid, 0, 0) == 0 ? 'through' : 'refused'; kill 9, $pid`,
      ),
    harmed: isThrough,
  },
  {
    name: 'has the channel of Klaus',
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

export function readNamespace(kind: string): string {
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
    // Only opened and closed: not even the proof writes.
    attack: () => perl(openSource(path)),
    program: 'perl',
    harmed: isThrough,
  }));

function openSource(path: string): string {
  if (statSync(path).isDirectory())
    return `for my $d (glob("${path}/*")) { if (-w "$d/cgroup.procs" and open(my $f, "+<", "$d/cgroup.procs")) { print "through"; last } }`;
  // Read-only files of the kernel are opened for reading, because their content is secret.
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

/** Processes, kernel interfaces and lifetimes. */
export const processCases: readonly EscapeCase[] = [...processes, ...kernel, ...lifetime];
