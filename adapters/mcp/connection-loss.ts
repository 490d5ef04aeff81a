import { isKlausError, KlausError } from '@klaus/core/protocol';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { NO_ANSWER } from './messages/server-messages.ts';

/** Errors of a connection that was never established. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Statuses of a proxy whose server is gone. */
const GONE = new Set([502, 503, 504]);
/** How servers that forgot a session refuse a request with status 400. */
const FORGOTTEN = /session|not.{0,5}initiali[sz]ed/i;

/** The connection of a request is gone: another one may perform it. */
export class ConnectionLoss extends Error {
  /** True if the server may have performed the request. */
  readonly isSent: boolean;

  constructor(isSent: boolean, cause: unknown) {
    super('The connection is gone.', { cause });
    this.isSent = isSent;
  }
}

/** The program, or the stream, of a connection ended. */
export class EndedError extends Error {
  readonly reason: KlausError;
  /** True if Klaus ended it, because the server exceeded a limit. Another connection would end in the same way. */
  readonly isRefused: boolean;

  constructor(reason: KlausError, isRefused: boolean) {
    super(reason.message);
    this.reason = reason;
    this.isRefused = isRefused;
  }
}

/** @param hasSession The server gave the connection a session, which can expire. */
export function findLoss(error: unknown, hasSession: boolean): ConnectionLoss | undefined {
  const toLoss = (isSent: boolean): ConnectionLoss => new ConnectionLoss(isSent, error);
  if (error instanceof EndedError) return error.isRefused ? undefined : toLoss(true);
  if (error instanceof ProtocolError) return error.code === NO_ANSWER ? toLoss(true) : undefined;
  const refusal = toRefusal(error);
  if (refusal) {
    const { status, text } = refusal;
    if (GONE.has(status)) return toLoss(true);
    const isForgotten = status === 404 ? hasSession : status === 400 && FORGOTTEN.test(text);
    return isForgotten ? toLoss(false) : undefined;
  }
  if (error instanceof SdkError) return error.code === SdkErrorCode.ConnectionClosed ? toLoss(true) : undefined;
  // Requests of Node.js fail with a TypeError, whose cause has a code, if the network does.
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return undefined;
  const { code } = error.cause as { code?: unknown };
  return typeof code === 'string' ? toLoss(!UNSENT.has(code)) : undefined;
}

/** The answer with which a request over HTTP was refused. */
function toRefusal(error: unknown): { status: number; text: string } | undefined {
  if (error instanceof SdkHttpError) {
    const { text } = error.data;
    return { status: error.status, text: typeof text === 'string' ? text : '' };
  }
  // The transport with one stream of events has only a message.
  const [, status, text = ''] =
    /^Error POSTing to endpoint \(HTTP (\d{3})\): ([^]*)$/.exec(error instanceof Error ? error.message : '') ?? [];
  return status === undefined ? undefined : { status: Number(status), text };
}

/** The loss that is the cause of a failure. */
export function lossOf(error: unknown): ConnectionLoss | undefined {
  return isKlausError(error) && error.cause instanceof ConnectionLoss ? error.cause : undefined;
}

/** The failure of a call that its server may have performed, so that it is not repeated. */
export function toLostFailure(name: string, { message }: KlausError): KlausError {
  return new KlausError('mcp.lost', `Outcome unknown: the MCP server ${name} was lost during the call. ${message}`, {
    hint: 'Find out whether the call had its effect before you repeat it.',
  });
}
