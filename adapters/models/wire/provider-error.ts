import type { IncomingHttpHeaders } from 'node:http';

export interface ProviderErrorOptions {
  /** HTTP status; absent for an error that came in the stream, after a status of success. */
  status?: number;
  headers?: IncomingHttpHeaders;
  /** The parsed body, or its text. */
  body: unknown;
}

/** The provider reported an error. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;

  constructor({ status, headers = {}, body }: ProviderErrorOptions) {
    super(status === undefined ? 'The provider reported an error.' : `The provider answered with status ${status}.`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
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
  const inner: unknown = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  return inner instanceof Error ? inner.message : String(inner);
}
