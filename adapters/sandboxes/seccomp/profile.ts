import { assemble } from './assembler.ts';
import type { BpfLine } from './assembler.ts';
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
  const lines: BpfLine[] = [
    { op: 'load', offset: ARCH },
    { op: 'jump', test: 'eq', value: AUDIT_ARCH[arch], to: 'native' },
    { op: 'return', value: KILL_PROCESS },
    { op: 'label', name: 'native' },
    { op: 'load', offset: NUMBER },
  ];
  if (arch === 'x64') {
    lines.push({ op: 'jump', test: 'ge', value: X32_BIT, otherwise: 'not-x32' });
    lines.push({ op: 'return', value: KILL_PROCESS }, { op: 'label', name: 'not-x32' });
  }
  for (const [name, numbers] of Object.entries(DENIED_SYSCALLS)) {
    const number = numbers[column];
    if (number !== null && number !== undefined) lines.push(...when(name, number, [refuse(EPERM)]));
  }
  const { clone, clone3, socket, ioctl } = JUDGED_SYSCALLS;
  lines.push(...when('clone3', clone3[column], [refuse(ENOSYS)]));
  lines.push(
    ...when('clone', clone[column], [
      argument(0),
      { op: 'jump', test: 'set', value: NAMESPACE_FLAGS.reduce((all, flag) => all + flag, 0), otherwise: 'allow' },
      refuse(EPERM),
    ]),
  );
  lines.push(...when('socket', socket[column], [argument(0), ...oneOf(SOCKET_DOMAINS), refuse(EAFNOSUPPORT)]));
  lines.push(
    ...when('ioctl', ioctl[column], [
      argument(1),
      ...DENIED_IOCTLS.map((value): BpfLine => ({ op: 'jump', test: 'eq', value, to: 'typing' })),
      { op: 'return', value: ALLOW },
      { op: 'label', name: 'typing' },
      refuse(EPERM),
    ]),
  );
  lines.push({ op: 'label', name: 'allow' }, { op: 'return', value: ALLOW });
  return assemble(lines);
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

function oneOf(values: readonly number[]): BpfLine[] {
  return values.map((value): BpfLine => ({ op: 'jump', test: 'eq', value, to: 'allow' }));
}
