import { toDockerProfile } from '../../adapters/sandboxes/seccomp/docker-profile.ts';
import { DENIED_SYSCALLS, EPERM, type SeccompArch } from '../../adapters/sandboxes/seccomp/syscalls.ts';

/** System calls that bubblewrap needs to create a sandbox in a container. Commands in the sandbox cannot use them. */
const FOR_BUBBLEWRAP: ReadonlySet<string> = new Set(['mount', 'umount2', 'pivot_root', 'unshare']);

/** An address family that reaches the host in any network namespace. Source: include/linux/socket.h */
const AF_VSOCK = 40;

/**
 * `docker/seccomp.json`, for the container of `klaus serve`: it denies the system calls that no command may use, except
 * those that create a sandbox. It names no architecture, so it applies to that of the machine only.
 */
export function toContainerProfile(): string {
  const names = Object.keys(DENIED_SYSCALLS).filter((name) => !FOR_BUBBLEWRAP.has(name));
  const profile = {
    defaultAction: 'SCMP_ACT_ALLOW',
    syscalls: [
      { names, action: 'SCMP_ACT_ERRNO', errnoRet: EPERM },
      {
        names: ['socket'],
        action: 'SCMP_ACT_ERRNO',
        errnoRet: EPERM,
        args: [{ index: 0, value: AF_VSOCK, op: 'SCMP_CMP_EQ' }],
      },
    ],
  };
  return `${JSON.stringify(profile, null, 2)}\n`;
}

/** `deploy/kubernetes-pods/seccomp-ARCH.json`, for pods of the sandbox: the filter of commands in containers. */
export function toPodProfile(arch: SeccompArch): string {
  return `${JSON.stringify(toDockerProfile(arch), null, 2)}\n`;
}
