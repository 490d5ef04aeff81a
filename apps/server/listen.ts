import { chmodSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { KlausError } from '@klaus/sdk';
import { markLocal } from './access/request-guard.ts';

/** @throws KlausError `usage` for a port that is in use, or an address that the machine does not have. */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        const hint = 'Stop the other program, or use a free port with `klaus serve --port 0`.';
        reject(new KlausError('usage', `Port ${port} is in use.`, { hint, cause: error }));
      } else
        reject(
          new KlausError('usage', `The server cannot listen on ${host}:${port}: ${error.message}.`, { cause: error }),
        );
    });
    server.listen({ host, port }, () => resolve());
  });
}

/** Listens on a Unix socket of this user. Replaces the socket of a server that was killed. */
export async function listenLocally(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  server.on('connection', (connection) => markLocal(connection));
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => resolve());
    });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
}

/** Resolves when the last connection has ended. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
