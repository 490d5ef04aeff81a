import type { SandboxName } from '@klaus/core/protocol';
import { listContainers, removeOrphans, type SandboxContainer } from './docker/containers.ts';
import { openCluster } from './kubernetes/cluster-client.ts';
import type { KubernetesOptions } from './kubernetes/kubernetes-options.ts';
import { listPods, removeLeftPods, type SandboxPod } from './kubernetes/pods.ts';
import { listRunning } from './process/running-commands.ts';

/** A sandbox of this machine, of any Klaus process, or a pod of any machine. */
export interface ListedSandbox {
  driver: SandboxName;
  /** Name of the container or pod, or id of the first process. */
  id: string;
  /** `running`; for containers and pods also other words of Docker and Kubernetes, such as `created` and `pending`. */
  state: string;
  /** The folder that its commands work on; empty if it is unknown. */
  workspace: string;
  /** The session; empty if it is unknown. */
  session: string;
  /** True if no Klaus process uses it any more. */
  isOrphan: boolean;
}

export interface ListSandboxesOptions {
  /** Also the pods of its namespace. Default: none. */
  kubernetes?: Pick<KubernetesOptions, 'namespace'>;
}

/**
 * The sandboxes of this state folder, and the containers of the Docker engine, if it answers. A container or a pod exists
 * between the commands of a session too.
 *
 * @param home Klaus's own state.
 * @throws KlausError `sandbox.unavailable` and `sandbox.failed` of Kubernetes.
 */
export async function listSandboxes(home: string, { kubernetes }: ListSandboxesOptions = {}): Promise<ListedSandbox[]> {
  const commands = listRunning(home, ['/']).map(({ pid, folders }) => ({
    ...{ driver: 'bubblewrap' as const, id: String(pid), state: 'running', workspace: folders[0] ?? '' },
    ...{ session: '', isOrphan: false },
  }));
  const pods = kubernetes ? await listPods(openCluster(kubernetes)) : [];
  return [...pods.map(toListedPod), ...(await listContainers()).map(toListed), ...commands];
}

/**
 * Removes containers and pods that no Klaus process uses any more. Sandboxes of bubblewrap end with their process.
 *
 * @throws KlausError `sandbox.unavailable` and `sandbox.failed` of Kubernetes.
 */
export async function pruneSandboxes({ kubernetes }: ListSandboxesOptions = {}): Promise<ListedSandbox[]> {
  const pods = kubernetes ? await removeLeftPods(openCluster(kubernetes)) : [];
  return [...pods.map(toListedPod), ...(await removeOrphans()).map(toListed)];
}

function toListedPod({ name, ...pod }: SandboxPod): ListedSandbox {
  return { driver: 'kubernetes', id: name, ...pod };
}

function toListed({ name, state, workspace, session, isOrphan }: SandboxContainer): ListedSandbox {
  return { driver: 'docker', id: name, state, workspace, session, isOrphan };
}
