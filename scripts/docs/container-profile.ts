import { DENIED_SYSCALLS, EPERM } from '../../adapters/sandboxes/seccomp/syscalls.ts';

/** What bubblewrap needs to build a sandbox in a container. The commands inside are denied them again. */
const FOR_BUBBLEWRAP: ReadonlySet<string> = new Set(['mount', 'umount2', 'pivot_root', 'unshare']);

/** Address families that reach the host past every network namespace. Source: include/linux/socket.h */
const AF_VSOCK = 40;

/**
 * `docker/seccomp.json`, for the container in which `klaus serve` runs: the calls that no command may make, but for
 * those with which a sandbox is made. No architecture is named, so it holds for the machine's own and no other.
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
