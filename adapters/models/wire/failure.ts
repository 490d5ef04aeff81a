import { headOf } from '@klaus/core/cut-text';
import type { IncomingHttpHeaders } from 'node:http';
import type { ModelFailure } from '@klaus/core/agent';
import { type ModelFailureCause, type ModelFailureCode, isRecord } from '@klaus/core/protocol';
import { ConnectionLost, MalformedResponse, ProviderError, StreamCut } from './errors.ts';

const MAX_MESSAGE = 2_000;

const TYPES: Readonly<Record<string, ModelFailureCode>> = {
  overloaded_error: 'overloaded',
  server_is_overloaded: 'overloaded',
  slow_down: 'overloaded',
  rate_limit_error: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  api_error: 'server_error',
  server_error: 'server_error',
  timeout_error: 'server_error',
  authentication_error: 'auth',
  permission_error: 'auth',
  invalid_api_key: 'auth',
  invalid_request_error: 'invalid_request',
  invalid_prompt: 'invalid_request',
  not_found_error: 'invalid_request',
  billing_error: 'invalid_request',
  insufficient_quota: 'invalid_request',
  request_too_large: 'context_window',
  context_length_exceeded: 'context_window',
};

/** Messages of the providers for a prompt that is too long; none of them always uses a code. */
const TOO_LONG =
  /prompt is too long|context[ _](?:length|window|limit)|maximum context|exceeds? the (?:model's )?(?:maximum )?context|too many (?:input )?tokens|input is too long|maximum (?:input|prompt) length/i;

/**
 * The failure for an error of a request, or undefined when it is none of the known ways in
 * which a provider or a network fails: then it is a bug and belongs to the caller.
 *
 * @param now Unix milliseconds, for a `retry-after` that is a date.
 */
export function toFailure(error: unknown, now: number): ModelFailure | undefined {
  if (error instanceof ConnectionLost || error instanceof StreamCut) return fail('connection', error.message);
  if (error instanceof MalformedResponse || error instanceof SyntaxError) return fail('malformed', error.message);
  return error instanceof ProviderError ? fromProvider(error, now) : undefined;
}

function fromProvider(error: ProviderError, now: number): ModelFailure {
  const details = toDetails(error);
  const message = details?.message ?? error.message;
  const retryAfterMs = toRetryAfterMs(error.headers, now);
  const cause = toCause(error.status, details, message);
  return {
    ...fail(toCode(error.status, details, message), message),
    ...(cause !== undefined && { cause }),
    ...(error.status !== undefined && { status: error.status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

interface Details {
  type?: string;
  code?: string | number;
  message?: string;
}

function toDetails({ body }: ProviderError): Details | undefined {
  if (typeof body === 'string' && body !== '') return { message: body };
  if (!isRecord(body)) return undefined;
  const inner = isRecord(body['error']) ? body['error'] : body;
  const { type, code, message } = inner;
  return {
    ...(typeof type === 'string' && { type }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof message === 'string' && { message }),
  };
}

function toCode(status: number | undefined, details: Details | undefined, message: string): ModelFailureCode {
  const named = TYPES[String(details?.code)] ?? TYPES[details?.type ?? ''];
  // An error in the stream has no HTTP status; OpenRouter puts the number into `code`.
  const code = Number(details?.code);
  const number = status ?? (Number.isInteger(code) && code >= 400 ? code : undefined);
  const client = number === undefined || (number >= 400 && number < 500);
  if (named === 'context_window' || number === 413) return 'context_window';
  if (client && number !== 429 && number !== 401 && TOO_LONG.test(message)) return 'context_window';
  // Exhausted credit is also reported as 429, but a retry does not help.
  if (details?.code === 'insufficient_quota') return 'invalid_request';
  if (number === undefined) return named ?? 'server_error';
  if (number === 429) return 'rate_limited';
  if (number === 529 || number === 503) return 'overloaded';
  if (number === 401 || number === 403) return 'auth';
  if (number === 408) return 'connection';
  if (number >= 500) return named === 'overloaded' ? 'overloaded' : 'server_error';
  return 'invalid_request';
}

/** An account without credit and an unknown model are no errors of the request itself. */
function toCause(
  status: number | undefined,
  details: Details | undefined,
  message: string,
): ModelFailureCause | undefined {
  const names = [details?.code, details?.type];
  if (status === 402 || names.some((name) => name === 402 || name === 'insufficient_quota' || name === 'billing_error'))
    return 'no_credit';
  if (names.includes('model_not_found') || status === 410) return 'unknown_model';
  return (status === 404 || names.includes('not_found_error')) && /\bmodel\b/i.test(message)
    ? 'unknown_model'
    : undefined;
}

/** Milliseconds, from `retry-after-ms` or from `retry-after` in seconds or as a date (RFC 9110, 10.2.3). */
function toRetryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const exact = Number.parseFloat(String(headers['retry-after-ms'] ?? ''));
  if (exact >= 0) return exact;
  const text = headers['retry-after']?.trim();
  if (!text) return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function fail(code: ModelFailureCode, message: string): ModelFailure {
  return { code, message: message.length > MAX_MESSAGE ? `${headOf(message, MAX_MESSAGE)}…` : message };
}
