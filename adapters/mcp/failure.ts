import { headOf } from '@klaus/core/cut-text';
import { isKlausError, KlausError, messageOf } from '@klaus/core/protocol';
import {
  OAuthClientFlowError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { NO_ANSWER, NO_RESULT } from './messages/server-messages.ts';

/** The error of a request to a server. @param signal Of the caller: aborted if it left. */
export function toFailure(name: string, error: unknown, signal: AbortSignal): KlausError {
  if (signal.aborted) return new KlausError('cancelled', 'Cancelled.', { cause: error });
  if (isKlausError(error) && error.code !== 'auth') {
    return error.code === 'timeout' ? fail(name, `gave ${error.message}`, error) : error;
  }
  if (isKlausError(error) && error.hint !== undefined) return error;
  if (
    isKlausError(error) ||
    error instanceof UnauthorizedError ||
    error instanceof OAuthClientFlowError ||
    (error instanceof SdkError && error.code === SdkErrorCode.ClientHttpAuthentication)
  ) {
    return new KlausError('auth', `The MCP server ${name} needs a login.`, {
      hint: `Run \`klaus mcp login ${name}\`, or add a header with a token.`,
      cause: error,
    });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return fail(name, 'gave no answer in time', error);
  const text = messageOf(error);
  if (error instanceof ProtocolError && [NO_ANSWER, NO_RESULT].includes(error.code)) return fail(name, text, error);
  if (error instanceof ProtocolError) return fail(name, `answered with an error: ${text}`, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return fail(name, `broke the protocol: ${text.split(': [')[0]}`, error);
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return fail(name, `cannot be used: ${text}${cause}`, error);
}

function fail(name: string, reason: string, cause: unknown): KlausError {
  return new KlausError('mcp.failed', `The MCP server ${name} ${headOf(reason, 1_000)}`, {
    hint: `\`klaus mcp test ${name}\` starts it alone.`,
    cause,
  });
}
