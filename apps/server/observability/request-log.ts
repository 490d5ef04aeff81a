import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from './log.ts';

interface Followed {
  id: string;
  /** What the handler threw. */
  error?: unknown;
}

const followed = new WeakMap<IncomingMessage, Followed>();
/** Characters of a path that are logged. */
const MAX_PATH = 200;

/**
 * Gives a request its id, which the answer has as `X-Request-Id`, and says what became of it when it is over: what
 * went well at `debug`, what was refused at `warn`, a defect at `error`. Without the query, headers and bodies, where
 * secrets and content may stand.
 */
export function followRequest(request: IncomingMessage, response: ServerResponse, log: Log): void {
  const entry: Followed = { id: randomUUID() };
  const begun = performance.now();
  followed.set(request, entry);
  response.setHeader('x-request-id', entry.id);
  response.on('close', () => {
    const { statusCode: status } = response;
    const fields = {
      request: entry.id,
      method: request.method,
      path: toPath(request),
      status,
      ms: Math.round(performance.now() - begun),
      ...(response.writableFinished ? {} : { left: true }),
    };
    if (status >= 500) log.error('a request failed', { ...fields, error: entry.error });
    else if (status >= 400) log.warn('a request was refused', fields);
    else log.debug('a request', fields);
  });
}

/** The id of a request, for whoever answers it; made for one that was never followed, such as an upgrade. */
export function requestIdOf(request: IncomingMessage): string {
  let entry = followed.get(request);
  if (!entry) followed.set(request, (entry = { id: randomUUID() }));
  return entry.id;
}

/** Kept for the entry that says that the request failed. */
export function noteFailure(request: IncomingMessage, error: unknown): void {
  const entry = followed.get(request);
  if (entry) entry.error = error;
}

export function toPath(request: IncomingMessage): string {
  return (request.url ?? '').split(/[?#]/, 1)[0]!.slice(0, MAX_PATH);
}
