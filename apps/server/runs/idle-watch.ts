import type { Server } from 'node:http';
import { everySecond } from './shared-timer.ts';

export interface IdleWatchOptions {
  servers: readonly Server[];
  /** Milliseconds without work and connections. 0: never. */
  idleMs: number;
  /** True while there is work. Called once a second. */
  isBusy: () => boolean;
  /** True while something would be lost. Called only when the time is over. */
  isNeeded: () => boolean;
}

/** Reports that a server has had no work and no connection for a time. It has no timer of its own. */
export function watchIdle({ servers, idleMs, isBusy, isNeeded }: IdleWatchOptions) {
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  if (idleMs === 0) return { idle, stop: () => {} };
  let connections = 0;
  let since = Date.now();
  for (const server of servers) {
    server.on('connection', (connection) => {
      connections += 1;
      connection.once('close', () => {
        connections -= 1;
        since = Date.now();
      });
    });
  }
  const stop = everySecond(() => {
    if (connections > 0 || isBusy()) since = Date.now();
    else if (Date.now() - since >= idleMs) {
      if (isNeeded()) since = Date.now();
      else resolve();
    }
  });
  return { /** Resolves once. */ idle, stop };
}
