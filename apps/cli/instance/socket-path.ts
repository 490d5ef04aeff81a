import { chmodSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { CliError } from '../program/cli-error.ts';
import { findForeignPart } from './trusted-folder.ts';

/** Bytes of a socket's path without its final zero: 107 on Linux, 103 on macOS. @source man 7 unix */
const MAX_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;

/** The files of an instance. */
export interface InstancePaths {
  /** Absolute; mode 0700. */
  folder: string;
  socket: string;
  /** Folder of the runtime events of its sessions, one file each. */
  logs: string;
}

/**
 * @param given.run Absolute path of the folder of all projects: `socketDir`, or `run` in the state folder.
 * @throws CliError `config` for a path that the system does not accept.
 */
export function toInstancePaths({ run, project, id }: { run: string; project: string; id: string }): InstancePaths {
  const folder = join(run, project);
  const socket = join(folder, `${id}.sock`);
  const length = Buffer.byteLength(socket);
  if (length > MAX_PATH_BYTES)
    throw new CliError(
      'config',
      `The path of the socket has ${length} bytes, and at most ${MAX_PATH_BYTES} are possible: ${socket}`,
      {
        hint: 'Set `socketDir` (KLAUS_SOCKET_DIR) to a folder with a short path, such as /tmp/klaus-1000.',
      },
    );
  return { folder, socket, logs: join(folder, 'logs') };
}

/**
 * Commands of a model can reach a socket in their workspace, which has the authority of the user.
 *
 * @param root Real path of the project.
 * @throws CliError `config` if the folder is in the project, also by a link.
 */
export function checkOutside(root: string, folder: string): void {
  if (![folder, followLinks(folder)].some((path) => `${path}/`.startsWith(`${root}/`))) return;
  throw new CliError('config', `The folder of the sockets, ${folder}, is in the project.`, {
    hint: 'Set `socketDir` (KLAUS_SOCKET_DIR) to a folder outside of it.',
  });
}

/** The real path of a folder of which the last parts need not exist. */
function followLinks(folder: string): string {
  for (let above = folder; ; above = dirname(above)) {
    try {
      return join(realpathSync.native(above), relative(above, folder));
    } catch (error) {
      if (above === dirname(above)) throw error;
    }
  }
}

/** @throws CliError `config` if another user could replace the socket or its folder. */
export function checkForeign(path: string): void {
  const part = findForeignPart(path);
  if (part === undefined) return;
  throw new CliError('config', `The sockets at ${path} are not used, because other users can replace ${part}.`, {
    hint: 'Set `socketDir` (KLAUS_SOCKET_DIR) to a folder that you own, in folders that only you or the administrator can write.',
  });
}

/**
 * Creates the folders, and removes the socket of an instance that was killed.
 *
 * @throws CliError `store.busy` if a process answers at the socket, `config` without access to the folder, or if others
 *   have it.
 */
export async function prepareSocket({ folder, socket, logs }: InstancePaths): Promise<void> {
  checkForeign(logs);
  try {
    for (const each of [folder, logs]) {
      mkdirSync(each, { recursive: true, mode: 0o700 });
      chmodSync(each, 0o700);
    }
  } catch (cause) {
    throw new CliError('config', `The folder ${folder} cannot be used: ${(cause as Error).message}.`, {
      hint: 'Set `socketDir` (KLAUS_SOCKET_DIR) to a folder that you own.',
      cause,
    });
  }
  // A folder that did not exist before could have been made by another user in the meantime.
  checkForeign(logs);
  if (await isAnswered(socket))
    throw new CliError('store.busy', `Another process answers at ${socket}.`, {
      hint: '`klaus instances` lists the running instances.',
    });
  try {
    rmSync(socket, { force: true });
  } catch (cause) {
    throw new CliError(
      'config',
      `${socket} is needed for the socket and cannot be removed: ${(cause as Error).message}.`,
      {
        hint: 'Move what is there to another place.',
        cause,
      },
    );
  }
}

/** True if a process accepts connections. */
function isAnswered(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}
