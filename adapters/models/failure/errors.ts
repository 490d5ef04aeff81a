import type { IncomingHttpHeaders } from 'node:http';
import { messageOf } from '@klaus/core/protocol';

export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  /** HTTP status; undefined for an error that came in the stream, after a status of success. */
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body, or its text. */
  readonly body: unknown;
  /** What another reader of the body found in it, if there was one. */
  readonly said: string | undefined;

  constructor({ status, headers = {}, body, said }: ProviderErrorOptions) {
    super(status === undefined ? 'The provider reported an error.' : `The provider answered with status ${status}.`);
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.said = said;
  }
}

interface ProviderErrorOptions {
  status?: number;
  headers?: IncomingHttpHeaders;
  body: unknown;
  said?: string;
}

/** The response violates the protocol. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse';
}

/** The stream ended before the provider completed the answer. */
export class StreamCut extends Error {
  override readonly name = 'StreamCut';
}

/** The network failed before or during the response. `cause` is its error. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';

  constructor(cause: unknown) {
    super(toReason(cause), { cause });
  }
}

/** If several addresses of a host failed, only the first error is used. */
function toReason(cause: unknown): string {
  return messageOf(cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause);
}

/** The error of a body that could not be read to its end: its encoding is wrong, or the connection was lost. */
export function toBodyError(error: unknown): Error {
  if (error instanceof MalformedResponse) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!/^(?:Z_|ZSTD_|ERR__ERROR)/.test(code)) return new ConnectionLost(error);
  return new MalformedResponse(`The body is not encoded as its head says: ${messageOf(error)}`);
}
