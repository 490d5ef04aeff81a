import type { ExecRequest } from '@klaus/core/agent';
import { listRunning } from '../process/running-commands.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { findSockets, isSocket } from './sockets.ts';

export interface SeenBy extends Pick<ExecRequest, 'files' | 'writable' | 'network'> {
  /** Folders that commands see, as the sandbox names them. */
  shown: readonly string[];
  /** When the first of the session's commands could run, in milliseconds since 1970. */
  since: number;
}

/** What the session hides, and the sockets of the machine that a command would reach. */
export async function listHidden(
  { workspace, home, masks }: Pick<SandboxOptions, 'workspace' | 'home' | 'masks'>,
  { shown, files, writable = [], network = false, since }: SeenBy,
): Promise<string[]> {
  const paths = (await masks?.()) ?? [];
  const sockets = findSockets(paths, {
    shown,
    writable: [...(files?.write ?? [workspace]), ...writable],
    sandboxes: () => listRunning(home, [workspace]).map(({ pid }) => pid),
    network,
    since,
  });
  return [...new Set([...paths.filter((path) => !isSocket(path)), ...sockets])];
}
