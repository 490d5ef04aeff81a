import { RequestError } from '@agentclientprotocol/sdk/unstable';

/** An error with a code, as the engine and the session clients throw it. */
interface CodedError extends Error {
  code: string;
  hint?: string;
}

export function isCoded(error: unknown): error is CodedError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'hint' in error;
}

/** The error in one text: what happened, and what the user can do. */
export function toErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isCoded(error) && error.hint ? `${error.message} ${error.hint}` : error.message;
}

/** The error of a request. A missing key is `auth_required`, so that the editor offers the ways to sign in. */
export function toRequestError(error: unknown): unknown {
  if (error instanceof RequestError || !isCoded(error)) return error;
  const text = toErrorText(error);
  const data = { code: error.code, details: text };
  if (error.code === 'auth') return new RequestError(-32_000, text, data);
  if (error.code === 'usage' || error.code.startsWith('workspace.') || error.code === 'model.unknown')
    return new RequestError(-32_602, text, data);
  return new RequestError(-32_603, text, data);
}
