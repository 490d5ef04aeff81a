import { headOf } from '@klaus/core/cut-text';
import { readErrorBody } from '../failure/error-body.ts';
import { ConnectionLost, MalformedResponse, ProviderError, StreamCut } from '../failure/errors.ts';
import { toErrorBody } from '../failure/stream-error.ts';

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
export function toError(error: unknown): ProviderError | ConnectionLost | MalformedResponse | StreamCut {
  if (isNamed(error, 'APICallError')) return fromCall(error);
  if (isNamed(error, 'LoadAPIKeyError')) return toProviderError('authentication_error', error.message);
  // Some providers notice that the end is missing.
  if (isNamed(error, 'InvalidResponseDataError') && /stream ended/i.test(error.message))
    return new StreamCut(error.message);
  if (isNamed(error, 'JSONParseError', 'TypeValidationError', 'InvalidResponseDataError', 'EmptyResponseBodyError')) {
    return new MalformedResponse(error.message);
  }
  const lost = toLost(error);
  if (lost) return lost;
  // Any other error that a provider throws is a defect of its code, and the same the next time.
  if (error instanceof Error) return toProviderError('invalid_request_error', `${error.name}: ${error.message}`);
  return new ProviderError({ body: error });
}

/** An error of `fetch`, before or during the answer. Its cause is that of the network. */
function toLost(error: unknown): ConnectionLost | undefined {
  if (!(error instanceof TypeError) || !/^(?:terminated|fetch failed)$/.test(error.message)) return undefined;
  return new ConnectionLost(error.cause ?? error);
}

function fromCall(error: AiSdkError): ProviderError | ConnectionLost | MalformedResponse {
  const { message, cause, statusCode: status, responseHeaders: headers = {}, responseBody } = error;
  if (status === undefined) return new ConnectionLost(cause instanceof Error ? (cause.cause ?? cause) : message);
  const body = toBody(responseBody);
  if (status < 400) {
    const refusal = [body]
      .flat()
      .map((value) => toErrorBody({ name: undefined, value }))
      .find(Boolean);
    if (refusal !== undefined) return new ProviderError({ body: refusal });
    return toLost(cause) ?? new MalformedResponse(`${message}: ${headOf(readErrorBody(responseBody).message, 300)}`);
  }
  return new ProviderError({ status, headers, body, said: message });
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
