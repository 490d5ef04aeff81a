import { setTimeout as pause } from 'node:timers/promises';
import { isProblemError } from '@klaus/server/client';
import { toServerError } from './server-error.ts';
import { toUnreachable, type RemoteServer } from './connect-server.ts';

/** Milliseconds for which a server that is gone is waited for, once it had answered. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2_000;

export interface RetryOptions {
  server: RemoteServer;
  /** Called once, when the first try failed. */
  onWait: (reason: string) => void;
  /** Ends the tries. */
  signal?: AbortSignal;
}

/**
 * Asks until there is an answer: a server that is started again takes some seconds. Only for what has the same effect
 * however often it is asked.
 *
 * @throws ServerError for a refusal, and `config` when the server does not come back in half a minute.
 */
export async function retrying<T>({ server, onWait, signal }: RetryOptions, ask: () => Promise<T>): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (let failures = 0; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (isProblemError(error) && !isPassing(error.problem.status)) throw toServerError(error.problem, server.name);
      const cause = isProblemError(error) ? (error.cause ?? error) : error;
      if (Date.now() >= until || signal?.aborted) throw toUnreachable(cause, server.name);
      if (failures === 0) onWait(cause instanceof Error ? cause.message : String(cause));
    }
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LAST_PAUSE_MS), undefined, signal ? { signal } : {}).catch(
      () => {},
    );
  }
}

/** No answer at all, or that of a proxy whose server is away. */
function isPassing(status: number): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}
