import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { protectPort } from '@klaus/adapters/system';
import type { NetworkProxy } from '@klaus/core/agent';
import { createFilterProxy, type FilterProxyOptions } from './filter-proxy.ts';

const MAX_REFUSED = 20;

/** Opens a filter proxy on the loopback interface of this machine, for one program that runs outside of a sandbox. */
export async function openHostProxy(options: Omit<FilterProxyOptions, 'onRefused'>): Promise<NetworkProxy> {
  const refused = new Set<string>();
  const sockets = new Set<Socket>();
  const onRefused = (authority: string): void => void (refused.size < MAX_REFUSED && refused.add(authority));
  const server = protectPort(createFilterProxy({ ...options, onRefused }));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    [Symbol.dispose]() {
      server.close();
      // A server does not track connections that became tunnels.
      for (const socket of sockets) socket.destroy();
    },
  };
}
