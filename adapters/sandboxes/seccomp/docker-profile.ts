import {
  DENIED_IOCTLS,
  DENIED_SYSCALLS,
  EAFNOSUPPORT,
  ENOSYS,
  EPERM,
  NAMESPACE_FLAGS,
  SOCKET_DOMAINS,
} from './syscalls.ts';
import type { SeccompArch } from './syscalls.ts';

interface DockerArgument {
  index: number;
  value: number;
  valueTwo?: number;
  op: 'SCMP_CMP_EQ' | 'SCMP_CMP_GT' | 'SCMP_CMP_MASKED_EQ';
}

export interface DockerSeccompProfile {
  defaultAction: 'SCMP_ACT_ALLOW';
  architectures: string[];
  syscalls: { names: string[]; action: 'SCMP_ACT_ERRNO'; errnoRet: number; args?: DockerArgument[] }[];
}

/**
 * The same profile for `docker run --security-opt seccomp=FILE`. Only the native architecture is listed: libseccomp then
 * kills a process that uses another one.
 *
 * @source https://docs.docker.com/engine/security/seccomp/
 */
export function toDockerProfile(arch: SeccompArch): DockerSeccompProfile {
  const column = arch === 'x64' ? 0 : 1;
  const refuse = (names: string[], errnoRet: number, args?: DockerArgument[]) => ({
    names,
    action: 'SCMP_ACT_ERRNO' as const,
    errnoRet,
    ...(args ? { args } : {}),
  });
  const denied = Object.entries(DENIED_SYSCALLS).flatMap(([name, numbers]) => (numbers[column] === null ? [] : [name]));
  const highest = Math.max(...SOCKET_DOMAINS);
  const domains = Array.from({ length: highest }, (_, value) => value).filter(
    (value) => !SOCKET_DOMAINS.some((allowed) => allowed === value),
  );
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    architectures: [arch === 'x64' ? 'SCMP_ARCH_X86_64' : 'SCMP_ARCH_AARCH64'],
    syscalls: [
      refuse(denied, EPERM),
      refuse(['clone3'], ENOSYS),
      ...NAMESPACE_FLAGS.map((flag) =>
        refuse(['clone'], EPERM, [{ index: 0, value: flag, valueTwo: flag, op: 'SCMP_CMP_MASKED_EQ' }]),
      ),
      // libseccomp takes one condition per argument and rule, so the gaps are listed one by one.
      ...domains.map((value) => refuse(['socket'], EAFNOSUPPORT, [{ index: 0, value, op: 'SCMP_CMP_EQ' }])),
      refuse(['socket'], EAFNOSUPPORT, [{ index: 0, value: highest, op: 'SCMP_CMP_GT' }]),
      ...DENIED_IOCTLS.map((value) =>
        refuse(['ioctl'], EPERM, [{ index: 1, value: 0xffff_ffff, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' }]),
      ),
    ],
  };
}
