import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Milliseconds after which a process is given up. */
const HUNG_MS = 600_000;

/** Starts a program of this folder with an order as JSON. It answers with messages. */
export function startProcess(file: string, order: unknown, options: ForkOptions = {}): ChildProcess {
  return fork(join(import.meta.dirname, file), [JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    timeout: HUNG_MS,
    killSignal: 'SIGKILL',
    ...options,
  });
}

/** The next message of a process. @throws Error if it ends without one. */
export async function receive<Message>(child: ChildProcess): Promise<Message> {
  const stop = new AbortController();
  try {
    return await Promise.race([
      once(child, 'message', stop).then(([message]) => message as Message),
      once(child, 'exit', stop).then(([code, signal]) => {
        throw new Error(`${child.spawnargs.slice(1, -1).join(' ')} ended with ${code ?? signal} before it answered`);
      }),
    ]);
  } finally {
    stop.abort();
  }
}
