import type { SandboxName } from '@klaus/core/protocol';
import { listContainers, removeOrphans, type SandboxContainer } from './docker/containers.ts';
import { listRunning } from './process/running-commands.ts';

/** A sandbox of this machine, of any Klaus process. */
export interface ListedSandbox {
  driver: SandboxName;
  /** Name of the container, or id of the first process. */
  id: string;
  /** `running`; for containers also other words of Docker, such as `created`. */
  state: string;
  /** The folder that its commands work on; empty if it is unknown. */
  workspace: string;
  /** The session; empty if it is unknown. */
  session: string;
  /** True if no Klaus process uses it any more. */
  isOrphan: boolean;
}

/**
 * The sandboxes of this state folder, and the containers of the Docker engine, if it answers. A container exists between
 * the commands of a session too.
 *
 * @param home Klaus's own state.
 */
export async function listSandboxes(home: string): Promise<ListedSandbox[]> {
  const commands = listRunning(home, ['/']).map(({ pid, folders }) => ({
    ...{ driver: 'bubblewrap' as const, id: String(pid), state: 'running', workspace: folders[0] ?? '' },
    ...{ session: '', isOrphan: false },
  }));
  return [...(await listContainers()).map(toListed), ...commands];
}

/** Removes containers that no Klaus process uses any more. Sandboxes of bubblewrap end with their process. */
export async function pruneSandboxes(): Promise<ListedSandbox[]> {
  return (await removeOrphans()).map(toListed);
}

function toListed({ name, state, workspace, session, isOrphan }: SandboxContainer): ListedSandbox {
  return { driver: 'docker', id: name, state, workspace, session, isOrphan };
}
