import { setTimeout as pause } from 'node:timers/promises';
import { isProblemError } from '@klaus/server/client';
import type { Problem } from '@klaus/server/contract';
import { toServerError, toUnreachable } from './server-error.ts';

/** Milliseconds for which requests to a server that had answered before are repeated. */
const RETRY_MS = 30_000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2_000;

interface RetryOptions {
  server: string;
  onRetry: () => void;
  signal?: AbortSignal;
}

/**
 * Repeats a request until it is answered, because a restart of a server takes some seconds. Only for requests that
 * have one effect when they are repeated.
 *
 * @param options.onRetry Called once, when the first attempt has failed.
 * @throws CliError for a refusal, and `config` if the server does not answer within half a minute.
 */
export async function retry<T>({ server, onRetry, signal }: RetryOptions, ask: () => Promise<T>): Promise<T> {
  const until = Date.now() + RETRY_MS;
  for (let failures = 0; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (isProblemError(error) && !isTemporary(error.problem)) throw toServerError(error.problem, server);
      if (Date.now() >= until || signal?.aborted)
        throw toUnreachable(isProblemError(error) ? (error.cause ?? error) : error, server);
      if (failures === 0) onRetry();
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LAST_PAUSE_MS);
    await pause(pauseMs, undefined, signal ? { signal } : {}).catch(() => {});
  }
}

/** True for no answer at all, and for the answers of a proxy without its server, which have no code of an error. */
function isTemporary({ code, status }: Problem): boolean {
  return code === 'unavailable' && [0, 502, 503, 504].includes(status);
}
