import type { Controller } from '../cgroup/cgroup-mounts.ts';

/**
 * What holds a command in, piece by piece. The escape suite takes one away at a time, to see that what is held
 * back by it would succeed without it. Nothing else does: no configuration and no caller of `createSandbox` can.
 */
const CONTROLS = [
  /** Namespaces. */
  'user-namespace',
  'pid-namespace',
  'net-namespace',
  'ipc-namespace',
  'uts-namespace',
  'cgroup-namespace',
  /** No further user namespaces inside. */
  'no-nested-namespaces',
  'seccomp',
  'no-capabilities',
  'clear-environment',
  /** Only what is listed is visible, not the machine's root. */
  'hidden-root',
  'private-tmp',
  'private-run',
  'private-dev',
  'private-proc',
  /** What in /proc belongs to the whole machine is read-only. */
  'covered-proc',
  'read-only-system',
  'read-only-toolchains',
  'read-only-etc',
  'hidden-state',
  'masks',
  'protected-places',
  /** What a command planted is taken away when it has ended. */
  'disarmed-repositories',
  'new-session',
  'die-with-parent',
  'closed-channel',
  'memory-limit',
  'process-limit',
  'group-end',
] as const;

/** One of the list. */
export type ControlName = (typeof CONTROLS)[number];

/** Controllers of which nothing is said, because they were left out. */
export function toOmitted(without: ReadonlySet<ControlName>): Set<Controller> {
  const omitted = new Set<Controller>();
  if (without.has('memory-limit')) omitted.add('memory');
  if (without.has('process-limit')) omitted.add('pids');
  return omitted;
}
