import { ConnectionLost, MalformedResponse, ProviderError } from '../wire/errors.ts';

/** The fields of an AI SDK error that Klaus uses. */
interface AiSdkError extends Error {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
}

/** Errors of the AI SDK are marked, because a program can have several copies of its classes. */
function isNamed(error: unknown, ...names: string[]): error is AiSdkError {
  return error instanceof Error && names.some((name) => Symbol.for(`vercel.ai.error.AI_${name}`) in error);
}

/** What a provider throws or sends, as an error of the clients of Klaus. */
export function toError(error: unknown): ProviderError | ConnectionLost | MalformedResponse {
  if (isNamed(error, 'APICallError')) return fromCall(error);
  if (isNamed(error, 'LoadAPIKeyError')) return toProviderError('authentication_error', error.message);
  if (isNamed(error, 'JSONParseError', 'TypeValidationError', 'InvalidResponseDataError', 'EmptyResponseBodyError')) {
    return new MalformedResponse(error.message);
  }
  // A connection that breaks during the answer. The network's own error is the cause.
  if (error instanceof TypeError && /^(?:terminated|fetch failed)$/.test(error.message)) {
    return new ConnectionLost(error.cause ?? error);
  }
  // Whatever else the code of a provider throws is an error of that provider, and the same the next time.
  if (error instanceof Error) return toProviderError('invalid_request_error', `${error.name}: ${error.message}`);
  return new ProviderError({ body: error });
}

function fromCall({ message, cause, statusCode: status, responseHeaders: headers, responseBody }: AiSdkError) {
  if (status === undefined) return new ConnectionLost(toNetworkError(cause) ?? message);
  if (status >= 200 && status < 300) return new MalformedResponse(`${message}: ${(responseBody ?? '').slice(0, 300)}`);
  const body = toBody(responseBody);
  const inner = isRecord(body) && isRecord(body['error']) ? body['error'] : body;
  const given = isRecord(inner) ? inner : {};
  const text = typeof given['message'] === 'string' ? given['message'] : isRecord(inner) ? message : inner;
  return new ProviderError({ status, headers: headers ?? {}, body: { ...given, message: text || message } });
}

/** The AI SDK wraps the error of the network. */
function toNetworkError(error: unknown): Error | undefined {
  return error instanceof Error && error.cause instanceof Error
    ? error.cause
    : error instanceof Error
      ? error
      : undefined;
}

function toProviderError(type: string, message: string): ProviderError {
  return new ProviderError({ body: { type, message } });
}

function toBody(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return text;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
