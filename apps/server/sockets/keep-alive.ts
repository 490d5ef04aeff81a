import type { WebSocket } from 'ws';

/** Proxies end connections without traffic, by default after a minute (nginx). */
const KEEP_ALIVE_MS = 25_000;

/** Pings the client regularly, and ends the connection of one that has not answered the last ping. */
export function keepAlive(socket: WebSocket): void {
  let isAnswered = true;
  const timer = setInterval(() => {
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, KEEP_ALIVE_MS).unref();
  socket.on('pong', () => (isAnswered = true));
  socket.on('close', () => clearInterval(timer));
}
