import { spawnSync } from 'node:child_process';
import type { ControlName } from '../../adapters/sandboxes/bubblewrap/controls.ts';
import { DENIED_SYSCALLS, JUDGED_SYSCALLS, NAMESPACE_FLAGS } from '../../adapters/sandboxes/seccomp/syscalls.ts';
import { isThrough, perl } from './case.ts';
import type { EscapeCase } from './case.ts';

const column = process.arch === 'x64' ? 0 : 1;
const EPERM = 1;
const EAFNOSUPPORT = 97;

/**
 * Calls that the kernel allows only root, or no user on this machine: the test checks
 * that the error is not that of the filter. The arguments are invalid, so that the call has no effect even for root.
 */
const ROOT_ONLY = new Set(
  `kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff reboot quotactl quotactl_fd acct
   settimeofday clock_settime syslog iopl ioperm open_by_handle_at pivot_root move_mount fsopen fsmount fspick
   perf_event_open`.split(/\s+/),
);
/** Calls that fail with EPERM for invalid arguments even for root, or that have an effect. */
const ARGUMENTS: Readonly<Record<string, readonly (number | string)[]>> = {
  // A read of the kernel's log by an unknown action.
  syslog: [99, 0, 0],
  // Level 4 does not exist.
  iopl: [4],
  ioperm: [-1, 1, 0],
  // Of an account file that does not exist.
  acct: ['$text'],
  // Fails for a size that is not a multiple of a page.
  unshare: [0x7fff_ffff],
  perf_event_open: ['$text', 0, -1, -1, 0],
};

function callCase(name: string, number: number): EscapeCase {
  const isRootOnly = ROOT_ONLY.has(name);
  const words = ARGUMENTS[name] ?? [-1, 0, -1, 0, 0];
  const without: ControlName[] = isRootOnly
    ? [
        'seccomp',
        'no-capabilities',
        'user-namespace',
        'no-nested-namespaces',
        'pid-namespace',
        'private-proc',
        'covered-proc',
      ]
    : ['seccomp', 'no-capabilities', 'no-nested-namespaces'];
  return {
    name: `system call ${name}: the kernel answers`,
    without,
    program: 'perl',
    rootProof: isRootOnly,
    ...(name === NEWEST ? { dockerLimit: 'its library of names is older than the call' } : {}),
    attack: () =>
      perl(
        `my $text = '/nowhere' x 30; $! = 0; syscall(${[number, ...words].join(', ')}); print $! == ${EPERM} ? 'refused' : 'through'`,
      ),
    harmed: isThrough,
  };
}

/** Docker's profiles contain names of calls, and the library that reads them ignores unknown names. */
const NEWEST = 'open_tree_attr';

const calls = Object.entries(DENIED_SYSCALLS).flatMap(([name, numbers]) => {
  const number = numbers[column];
  // vhangup has no arguments: it would hang up the terminal.
  return number === null || number === undefined || name === 'vhangup' ? [] : [callCase(name, number)];
});

const namespaces = ['mount', 'cgroup', 'uts', 'ipc', 'user', 'pid', 'network'].map((name, index): EscapeCase => ({
  name: `clone into a new ${name} namespace`,
  without: ['seccomp', 'no-capabilities', 'no-nested-namespaces'],
  program: 'perl',
  attack: () =>
    perl(
      `my $pid = syscall(${JUDGED_SYSCALLS.clone[column]}, ${NAMESPACE_FLAGS[index]! + 17}, 0, 0, 0, 0);
         if ($pid == 0) { print 'through'; exit } waitpid($pid, 0) if $pid > 0`,
    ),
  harmed: isThrough,
}));

/** Families that this kernel supports: for others the error is the same with and without the filter. */
function hasFamily([, family, type]: readonly [string, number, number]): boolean {
  const source = `exit(syscall(${JUDGED_SYSCALLS.socket[column]}, ${family}, ${type}, 0) < 0 && $! == ${EAFNOSUPPORT} ? 1 : 0)`;
  return spawnSync('perl', ['-e', source]).status === 0;
}

const families: readonly (readonly [string, number, number])[] = [
  ['netlink', 16, 3],
  ['packet', 17, 3],
  ['vsock', 40, 1],
  ['alg (kernel crypto)', 38, 5],
  ['key', 15, 3],
  ['xdp', 44, 3],
  ['can', 29, 3],
  ['tipc', 30, 1],
  ['bluetooth', 31, 3],
  ['nfc', 39, 3],
  ['qipcrtr', 42, 2],
  ['kcm', 41, 2],
];

const sockets = families.filter(hasFamily).map(([name, family, type]): EscapeCase => ({
  name: `a socket of the family ${name}`,
  without: ['seccomp', 'no-capabilities', 'no-nested-namespaces'],
  program: 'perl',
  // For an unsupported family the error is the same with and without the filter.
  attack: () =>
    perl(`$! = 0; my $fd = syscall(${JUDGED_SYSCALLS.socket[column]}, ${family}, ${type}, 0);
        print $fd >= 0 || $! != ${EAFNOSUPPORT} ? 'through' : 'refused'`),
  harmed: isThrough,
}));

const others: EscapeCase[] = [
  {
    name: 'clone3, whose flags no filter can read',
    without: ['seccomp'],
    program: 'perl',
    attack: () =>
      perl(`$! = 0; syscall(${JUDGED_SYSCALLS.clone3[column]}, 0, 0); print $! == 38 ? 'refused' : 'through'`),
    harmed: isThrough,
  },
  ...(
    [
      ['TIOCSTI types into the terminal', 0x5412],
      ['TIOCSTI with high bits set', 0x1_0000_5412],
      ['TIOCLINUX pastes into the console', 0x541c],
    ] as const
  ).map(([name, what]): EscapeCase => ({
    name,
    without: ['seccomp'],
    program: 'perl',
    attack: () =>
      perl(
        `$! = 0; my $x = 'x'; syscall(${JUDGED_SYSCALLS.ioctl[column]}, 0, ${what}, $x); print $! == ${EPERM} ? 'refused' : 'through'`,
      ),
    harmed: isThrough,
  })),
];

/** A 32-bit program, as bytes: it exits with what `getpid` through `int 0x80` gives, cut to 7 bits and with the lowest set. */
const I386 = [
  'my $code = pack("C*", 0xb8,20,0,0,0, 0xcd,0x80, 0x89,0xc3, 0x83,0xe3,0x7e, 0x83,0xcb,0x01, 0xb8,1,0,0,0, 0xcd,0x80);',
  'my $elf = pack("C16 vvVVVVVvvvvvv VVVVVVVV", 127,69,76,70,1,1,1,(0)x9, 2,3,1,0x8048054,52,0,0,52,32,1,0,0,0, 1,0,0x8048000,0x8048000,84+length($code),84+length($code),5,4096);',
  'open(my $f, ">", "/tmp/i386"); print $f $elf.$code; close $f; chmod 0755, "/tmp/i386";',
  'my $s = system("/tmp/i386"); print $s > 0 && ($s & 127) == 0 ? "through" : "refused";',
].join('\n');

const foreign: EscapeCase[] =
  process.arch === 'x64'
    ? [
        {
          name: 'a 32-bit program, whose calls have other numbers (socketcall passes many filters)',
          without: ['seccomp'],
          program: 'perl',
          attack: () => perl(I386),
          harmed: isThrough,
        },
        {
          name: 'x32 numbers',
          without: ['seccomp'],
          program: 'perl',
          attack: () => perl(`my $r = syscall(0x40000000 + 39); print 'through'`),
          harmed: isThrough,
        },
        {
          name: 'x32 ptrace, whose number is its own',
          without: ['seccomp'],
          program: 'perl',
          attack: () => perl(`syscall(0x40000000 + 521, 0, 0, 0, 0); print 'through'`),
          harmed: isThrough,
        },
      ]
    : [];

/** Kernel interfaces. */
export const callCases: readonly EscapeCase[] = [...calls, ...namespaces, ...sockets, ...others, ...foreign];
