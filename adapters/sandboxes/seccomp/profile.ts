import { assemble, type BpfLine } from './assembler.ts';
import {
  DENIED_IOCTLS,
  DENIED_SYSCALLS,
  EAFNOSUPPORT,
  ENOSYS,
  EPERM,
  JUDGED_SYSCALLS,
  NAMESPACE_FLAGS,
  SOCKET_DOMAINS,
} from './syscalls.ts';
import type { SeccompArch } from './syscalls.ts';

// linux/seccomp.h and linux/audit.h
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const ERRNO = 0x0005_0000;
const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const X32_BIT = 0x4000_0000;

// struct seccomp_data: nr, arch, instruction pointer, six 64-bit arguments. The kernel takes the low half of
// each argument judged here (they are ints), so the filter does too.
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number): BpfLine => ({ op: 'load', offset: 16 + 8 * index });

/** True for architectures with a profile. On others the sandbox reports that it runs without one. */
export function isSeccompArch(arch: string): arch is SeccompArch {
  return arch === 'x64' || arch === 'arm64';
}

/**
 * The profile as classic BPF for `bwrap --seccomp`. It allows everything except {@link DENIED_SYSCALLS} (EPERM), `clone`
 * with namespace flags (EPERM), `clone3` (ENOSYS, so that libraries fall back to `clone`), sockets other than UNIX, INET
 * and INET6 (EAFNOSUPPORT), and input into a terminal (EPERM). A call through the entry of another architecture,
 * including x32, kills the process.
 */
export function toSeccompFilter(arch: SeccompArch): Uint8Array {
  const column = arch === 'x64' ? 0 : 1;
  const { clone, clone3, socket, ioctl } = JUDGED_SYSCALLS;
  const refuseX32: BpfLine[] = [
    { op: 'jump', test: 'ge', value: X32_BIT, otherwise: 'not-x32' },
    { op: 'return', value: KILL_PROCESS },
    { op: 'label', name: 'not-x32' },
  ];
  return assemble([
    { op: 'load', offset: ARCH },
    { op: 'jump', test: 'eq', value: AUDIT_ARCH[arch], to: 'native' },
    { op: 'return', value: KILL_PROCESS },
    { op: 'label', name: 'native' },
    { op: 'load', offset: NUMBER },
    ...(arch === 'x64' ? refuseX32 : []),
    ...Object.entries(DENIED_SYSCALLS).flatMap(([name, numbers]) =>
      numbers[column] === null ? [] : when(name, numbers[column], [refuse(EPERM)]),
    ),
    ...when('clone3', clone3[column], [refuse(ENOSYS)]),
    ...when('clone', clone[column], [
      argument(0),
      { op: 'jump', test: 'set', value: NAMESPACE_FLAGS.reduce((all, flag) => all + flag, 0), otherwise: 'allow' },
      refuse(EPERM),
    ]),
    ...when('socket', socket[column], [argument(0), ...oneOf(SOCKET_DOMAINS, 'allow'), refuse(EAFNOSUPPORT)]),
    ...when('ioctl', ioctl[column], [
      argument(1),
      ...oneOf(DENIED_IOCTLS, 'typing'),
      { op: 'return', value: ALLOW },
      { op: 'label', name: 'typing' },
      refuse(EPERM),
    ]),
    { op: 'label', name: 'allow' },
    { op: 'return', value: ALLOW },
  ]);
}

function refuse(errno: number): BpfLine {
  return { op: 'return', value: ERRNO | errno };
}

/** `body` for one call number; every path through it must end in a return or at `allow`. */
function when(name: string, number: number, body: readonly BpfLine[]): BpfLine[] {
  return [
    { op: 'jump', test: 'eq', value: number, otherwise: `not-${name}` },
    ...body,
    { op: 'label', name: `not-${name}` },
  ];
}

function oneOf(values: readonly number[], to: string): BpfLine[] {
  return values.map((value) => ({ op: 'jump', test: 'eq', value, to }));
}
