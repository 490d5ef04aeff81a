import { headOf } from '@klaus/sdk/cut-text';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toProblem } from '../http/problem.ts';
import type { Log } from './log.ts';

interface LoggedRequest {
  id: string;
  /** What the handler threw. */
  error?: unknown;
}

const requests = new WeakMap<IncomingMessage, LoggedRequest>();
/** Characters of a path that are logged. */
const MAX_PATH = 200;

/**
 * Gives a request its id, which is in the header `X-Request-Id` of the response, and logs the outcome: success at `debug`,
 * a refusal at `warn`, a defect at `error`. Query, headers and bodies are not logged, because they may hold secrets.
 */
export function logRequest(request: IncomingMessage, response: ServerResponse, log: Log): void {
  const entry: LoggedRequest = { id: randomUUID() };
  const begun = performance.now();
  requests.set(request, entry);
  response.setHeader('x-request-id', entry.id);
  response.on('close', () => {
    const { statusCode: status } = response;
    const fields = {
      request: entry.id,
      method: request.method,
      path: toPath(request),
      status,
      ms: Math.round(performance.now() - begun),
      ...(entry.error === undefined ? {} : { code: toProblem(entry.error).code }),
      ...(response.writableFinished ? {} : { left: true }),
    };
    if (status >= 500) log.error('a request failed', { ...fields, error: entry.error });
    else if (status >= 400) log.warn('a request was refused', fields);
    else log.debug('a request', fields);
  });
}

/** The id of a request; a new one for a request that is not logged, such as an upgrade. */
export function requestIdOf(request: IncomingMessage): string {
  let entry = requests.get(request);
  if (!entry) requests.set(request, (entry = { id: randomUUID() }));
  return entry.id;
}

/** Stores the error for the log entry of the request. */
export function recordError(request: IncomingMessage, error: unknown): void {
  const entry = requests.get(request);
  if (entry) entry.error = error;
}

export function toPath(request: IncomingMessage): string {
  return headOf((request.url ?? '').split(/[?#]/, 1)[0]!, MAX_PATH);
}
