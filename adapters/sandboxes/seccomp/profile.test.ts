import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { findBubblewrap } from '../bubblewrap/find-bubblewrap.ts';
import { createSandbox } from '../index.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { toDockerProfile } from './docker-profile.ts';
import { isSeccompArch, toSeccompFilter } from './profile.ts';
import { DENIED_SYSCALLS, EAFNOSUPPORT, ENOSYS, EPERM, JUDGED_SYSCALLS, NAMESPACE_FLAGS } from './syscalls.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const search = await findBubblewrap(place);
const PERL = '/usr/bin/perl';
const canProbe = search.program !== undefined && existsSync(PERL) && isSeccompArch(process.arch);
const column = process.arch === 'x64' ? 0 : 1;

/** Makes each call inside the sandbox and says the error number, 0 for success. */
async function probe(calls: readonly (readonly number[])[]): Promise<number[]> {
  const script = calls.map((call) => `$! = 0; syscall(${call.join(', ')}); print $! + 0, "\\n";`).join(' ');
  const sandbox = await createSandbox({ ...place, choice: 'bubblewrap' });
  const result = await sandbox.exec({ command: [PERL, '-e', script] });
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  return result.stdout.trim().split('\n').map(Number);
}

describe.skipIf(!canProbe)('inside the sandbox', () => {
  test('every denied call is refused', async () => {
    const denied = Object.entries(DENIED_SYSCALLS).flatMap(([name, numbers]) =>
      numbers[column] === null ? [] : [[name, numbers[column]!] as const],
    );
    // Bad arguments: without the filter these say EINVAL, EBADF or EFAULT, or for some EPERM for want of a capability.
    const answers = await probe(denied.map(([, number]) => [number, -1, 0, -1, 0, 0]));
    expect(Object.fromEntries(denied.map(([name], index) => [name, answers[index]]))).toEqual(
      Object.fromEntries(denied.map(([name]) => [name, EPERM])),
    );
  });

  test('new processes but no namespaces', async () => {
    const { clone, clone3 } = JUDGED_SYSCALLS;
    const answers = await probe([
      ...NAMESPACE_FLAGS.map((flag) => [clone[column], flag, 0, 0, 0, 0]),
      [clone3[column], 0, 0],
    ]);
    expect(answers).toEqual([...NAMESPACE_FLAGS.map(() => EPERM), ENOSYS]);
  });

  test('sockets of three families and no other', async () => {
    const socket = JUDGED_SYSCALLS.socket[column];
    const families = Array.from({ length: 46 }, (_, family) => family);
    const answers = await probe(families.map((family) => [socket, family, 2, 0]));
    expect(families.filter((family) => answers[family] === 0)).toEqual([1, 2, 10]);
    expect(answers[40], 'AF_VSOCK, which no network namespace holds back').toBe(EAFNOSUPPORT);
    expect(await probe([[socket, 2 ** 32 + 40, 2, 0]])).toEqual([EAFNOSUPPORT]);
  });

  test('nothing is typed into a terminal', async () => {
    const ioctl = JUDGED_SYSCALLS.ioctl[column];
    expect(
      await probe([
        [ioctl, 0, 0x5412, 0],
        [ioctl, 0, 2 ** 32 + 0x5412, 0],
        [ioctl, 0, 0x541c, 0],
      ]),
    ).toEqual([EPERM, EPERM, EPERM]);
  });

  test.skipIf(process.arch !== 'x64')('x32 calls end the process', async () => {
    const sandbox = await createSandbox({ ...place, choice: 'bubblewrap' });
    const result = await sandbox.exec({ command: [PERL, '-e', 'syscall(0x40000000 + 39); print "alive"'] });
    expect(result).toMatchObject({ exitCode: 128 + 31, stdout: '' });
  });
});

describe('the encoded filter', () => {
  test.each(['x64', 'arm64'] as const)('%s: judges by architecture and number as the tables say', (arch) => {
    const filter = toSeccompFilter(arch);
    const native = { x64: 0xc000003e, arm64: 0xc00000b7 }[arch];
    const index = arch === 'x64' ? 0 : 1;
    const judge = (nr: number, ...args: number[]) => interpret(filter, { nr, arch: native, args });
    expect(interpret(filter, { nr: 0, arch: 0x40000003, args: [] }), 'i386').toBe('kill');
    const denied = Object.values(DENIED_SYSCALLS).flatMap((numbers) => numbers[index] ?? []);
    expect(denied.filter((number) => judge(number) !== EPERM)).toEqual([]);
    expect(judge(JUDGED_SYSCALLS.clone3[index])).toBe(ENOSYS);
    expect(judge(JUDGED_SYSCALLS.clone[index], 0x1200011)).toBe('allow');
    for (const flag of NAMESPACE_FLAGS) expect(judge(JUDGED_SYSCALLS.clone[index], flag + 17)).toBe(EPERM);
    expect([1, 2, 10, 0, 16, 40].map((domain) => judge(JUDGED_SYSCALLS.socket[index], domain))).toEqual(
      'allow allow allow 97 97 97'.split(' ').map((word) => (word === '97' ? EAFNOSUPPORT : word)),
    );
    expect([0x5413, 0x5412].map((what) => judge(JUDGED_SYSCALLS.ioctl[index], 0, what))).toEqual(['allow', EPERM]);
    expect(judge(arch === 'x64' ? 59 : 221), 'execve').toBe('allow');
  });

  test("Docker's form denies the same calls", () => {
    const profile = toDockerProfile('arm64');
    expect(profile.architectures).toEqual(['SCMP_ARCH_AARCH64']);
    expect(profile.syscalls[0]?.names).toContain('mount');
    expect(profile.syscalls[0]?.names).not.toContain('iopl');
    expect(profile.syscalls.flatMap((rule) => rule.names)).toEqual(
      expect.arrayContaining(['clone3', 'socket', 'ioctl', 'clone']),
    );
  });

  test.skipIf(!existsSync('/usr/include/x86_64-linux-gnu/asm/unistd_64.h'))(
    "the numbers are those of the kernel's headers",
    () => {
      const header = spawnSync('cat', ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h'], { encoding: 'utf8' }).stdout;
      const all = { ...DENIED_SYSCALLS, ...JUDGED_SYSCALLS };
      const read = (name: string) => Number(new RegExp(`__NR_${name} (\\d+)\n`).exec(header)?.[1]);
      // Older headers lack the newest calls.
      const known = Object.entries(all).filter(([name]) => !Number.isNaN(read(name)));
      expect(known.length).toBeGreaterThan(40);
      expect(known.map(([name]) => [name, read(name)])).toEqual(known.map(([name, numbers]) => [name, numbers[0]]));
    },
  );
});

/** The kernel's side of the filter: runs classic BPF over one `seccomp_data`. */
function interpret(filter: Uint8Array, call: { nr: number; arch: number; args: number[] }): 'allow' | 'kill' | number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.nr, true);
  data.setUint32(4, call.arch, true);
  for (const [index, value] of call.args.entries()) data.setUint32(16 + 8 * index, value, true);
  const code = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  let accumulator = 0;
  for (let at = 0; at * 8 < filter.length; at++) {
    const value = code.getUint32(at * 8 + 4, true);
    const step = (isTrue: boolean) => (at += code.getUint8(at * 8 + (isTrue ? 2 : 3)));
    switch (code.getUint16(at * 8, true)) {
      case 0x20:
        accumulator = data.getUint32(value, true);
        break;
      case 0x15:
        step(accumulator === value);
        break;
      case 0x35:
        step(accumulator >= value);
        break;
      case 0x45:
        step((accumulator & value) !== 0);
        break;
      case 0x06:
        return value === 0x7fff0000 ? 'allow' : value >= 0x80000000 ? 'kill' : value & 0xffff;
      default:
        throw new Error(`unknown instruction at ${at}`);
    }
  }
  throw new Error('the filter has no end');
}
