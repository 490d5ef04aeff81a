import type { Controller } from '../cgroup/cgroup-mounts.ts';

/**
 * The controls that isolate a command. The escape suite removes them one at a time to show that an attack would succeed
 * without them. Neither configuration nor callers of `createSandbox` can remove one.
 */
export type ControlName =
  | 'user-namespace'
  | 'pid-namespace'
  | 'net-namespace'
  | 'ipc-namespace'
  | 'uts-namespace'
  | 'cgroup-namespace'
  /** Prevents further user namespaces in the sandbox. */
  | 'no-nested-namespaces'
  | 'seccomp'
  | 'no-capabilities'
  | 'clear-environment'
  /** Shows only the listed paths instead of the machine's root. */
  | 'hidden-root'
  | 'private-tmp'
  | 'private-run'
  | 'private-dev'
  | 'private-proc'
  /** Makes the parts of /proc that affect the machine read-only. */
  | 'covered-proc'
  | 'read-only-system'
  | 'read-only-toolchains'
  | 'read-only-etc'
  | 'hidden-state'
  | 'masks'
  | 'protected-places'
  /** Neutralizes repositories that a command created when it has ended. */
  | 'neutralized-repositories'
  | 'new-session'
  | 'die-with-parent'
  | 'closed-channel'
  | 'memory-limit'
  | 'process-limit'
  | 'group-end';

/** Controllers that are not reported as unenforced because they were left out. */
export function toOmitted(without: ReadonlySet<ControlName>): Set<Controller> {
  const omitted = new Set<Controller>();
  if (without.has('memory-limit')) omitted.add('memory');
  if (without.has('process-limit')) omitted.add('pids');
  return omitted;
}
