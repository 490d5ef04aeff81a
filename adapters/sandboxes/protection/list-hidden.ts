import type { ExecRequest } from '@klaus/core/agent';
import { listRunning } from '../process/running-commands.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { findSockets, isSocket, type SocketScope } from './sockets.ts';

export type MaskScope = Pick<ExecRequest, 'files' | 'writable' | 'network'> & Pick<SocketScope, 'shown' | 'since'>;

/** The paths that the session hides, and the sockets of other programs that a command could connect to. */
export async function listHidden(
  { workspace, home, masks }: Pick<SandboxOptions, 'workspace' | 'home' | 'masks'>,
  { shown, files, writable = [], network = false, since }: MaskScope,
): Promise<string[]> {
  const paths = (await masks?.()) ?? [];
  const sockets = findSockets(paths, {
    shown,
    writable: [...(files?.write ?? [workspace]), ...writable],
    sandboxes: () => listRunning(home, [workspace]).map(({ pid }) => pid),
    network: network === true,
    since,
  });
  return [...new Set([...paths.filter((path) => !isSocket(path)), ...sockets])];
}
