import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

/** The connections of one simulated process to the database. */
export interface Proxy {
  readonly port: number;
  /** Nothing is forwarded until `resume`, as for a process that is stopped. */
  pause(): void;
  resume(): void;
  /** Closes all connections, and accepts no other one. */
  cut(): Promise<void>;
}

/** Forwards connections to a port of this machine. */
export async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isPaused = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    if (isPaused) socket.pause();
  };
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1');
    for (const socket of [client, database]) keep(socket);
    client.pipe(database);
    database.pipe(client);
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    pause() {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    async cut() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
