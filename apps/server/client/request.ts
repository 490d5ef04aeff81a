import { optional } from '@klaus/core/optional';
import { CLIENT_HEADER, type ClientName, problemSchema } from '../contract/index.ts';
import { ProblemError } from './problem-error.ts';

export interface Connection {
  /** Such as `http://127.0.0.1:3001`; empty in the page of the server. */
  baseUrl: string;
  /** Bearer token. Absent in a browser, which sends a cookie. */
  token?: string;
  as?: ClientName;
  fetch: typeof globalThis.fetch;
}

export interface RequestInput {
  method: string;
  /** Includes the query. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** @throws ProblemError for every response that is not 2xx, and for an unreachable server. */
export async function request(connection: Connection, input: RequestInput): Promise<Response> {
  const { baseUrl, token, as } = connection;
  const { method, path, body, headers, signal } = input;
  let response: Response;
  try {
    response = await connection.fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...optional({ [CLIENT_HEADER]: as }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw toUnreachable(error);
  }
  if (!response.ok) throw new ProblemError(await readProblem(response));
  return response;
}

/** The error of a request without a response. The server may have received it. */
export function toUnreachable(cause: unknown): ProblemError {
  const title = 'The server cannot be reached.';
  return new ProblemError({ type: 'about:blank', title, status: 0, code: 'unavailable', retryable: true }, { cause });
}

async function readProblem(response: Response) {
  const { status } = response;
  const text = await response.text().catch(() => '');
  try {
    return problemSchema.parse(JSON.parse(text));
  } catch {
    // A proxy answered with a document of its own.
    return { type: 'about:blank', title: `The server answered ${status}.`, status, code: 'unavailable' as const };
  }
}
