import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { KlausError, protectPort } from '@klaus/sdk';
import { markLocal } from './access/request-guard.ts';

/** @throws KlausError `usage` for a port that is in use, or an address that the machine does not have. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  protectPort(server).listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE')
      throw new KlausError('usage', `The server cannot listen on ${host}:${port}: ${message}.`, { cause });
    const hint = 'Stop the other program, or use a free port with `klaus serve --port 0`.';
    throw new KlausError('usage', `Port ${port} is in use.`, { hint, cause });
  }
}

/**
 * Listens on a Unix socket of this user. Replaces the socket of a server that was killed.
 *
 * @throws KlausError `config` if something is at the path that cannot be removed, such as a folder.
 */
export async function listenLocally(server: Server, path: string): Promise<void> {
  removeLeftover(path);
  server.on('connection', (connection) => markLocal(connection));
  const mask = process.umask(0o177);
  try {
    server.listen(path);
    await once(server, 'listening');
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
}

/** Removes a file that an earlier server left. @throws KlausError `config` */
export function removeLeftover(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    const { message } = cause as Error;
    throw new KlausError('config', `The server needs the path ${path}, which cannot be removed: ${message}.`, {
      hint: 'Move what is there to another place.',
      cause,
    });
  }
}

/** Resolves when the last connection has ended. */
export async function closeServer(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
