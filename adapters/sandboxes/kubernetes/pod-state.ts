import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';

/** Reasons for which a container waits and will not start. */
const FAILURES = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

export function isRunning({ status }: V1Pod, container: string): boolean {
  return status?.containerStatuses?.some(({ name, state }) => name === container && state?.running) === true;
}

/** True when no process of the pod is left. */
export function hasEnded({ status }: V1Pod): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const all = listContainers(status);
  // A pod without a node never had one.
  return isOver && all.every(({ state }) => !state?.running);
}

/** Why a pod will not start; undefined while it may. */
export function findProblem({ status }: V1Pod): string | undefined {
  for (const { name, state } of listContainers(status)) {
    const { waiting, terminated } = state ?? {};
    if (waiting?.reason !== undefined && FAILURES.has(waiting.reason))
      return `the container \`${name}\` waits with ${waiting.reason}: ${waiting.message ?? 'no message'}`;
    if (terminated && terminated.exitCode !== 0)
      return `the container \`${name}\` ended with ${terminated.exitCode} (${terminated.reason ?? 'Error'}): ${terminated.message ?? 'no message'}`;
  }
  if (status?.phase !== 'Failed' && status?.phase !== 'Succeeded') return undefined;
  return `it ended with ${status.reason ?? status.phase}: ${status.message ?? 'no message'}`;
}

/** Why a pod ended. */
export function toEndReason({ status }: V1Pod, container: string): { reason: string; isOutOfMemory: boolean } {
  const terminated = status?.containerStatuses?.find(({ name }) => name === container)?.state?.terminated;
  const reason = status?.reason ?? terminated?.reason;
  const message = status?.message === undefined ? '' : `: ${status.message}`;
  const isOutOfMemory = terminated?.reason === 'OOMKilled';
  return { reason: `${reason ?? 'the connection to its main process was lost'}${message}`, isOutOfMemory };
}

function listContainers(status: V1Pod['status']): V1ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}
