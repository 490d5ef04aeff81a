import type { ErrorCode } from '@klaus/sdk';
import type { Problem, ProblemCode } from '@klaus/server/contract';

/** What went wrong with a server elsewhere, or what it refused. */
export class ServerError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ServerError';
    this.code = code;
    this.hint = options.hint;
    // The mark by which the table of exit codes knows an error with a code, without loading the engine.
    Object.defineProperty(this, Symbol.for('klaus.error'), { value: true });
  }
}

/** What an HTTP door says besides the errors of the engine, as one of those. */
const HTTP_CODES: Readonly<Partial<Record<ProblemCode, ErrorCode>>> = {
  unauthorized: 'auth',
  too_many: 'auth',
  forbidden: 'config',
  unavailable: 'config',
  not_found: 'usage',
  method_not_allowed: 'internal',
  too_large: 'usage',
  unsupported_media: 'internal',
};

const TOKEN_HINT =
  'Set KLAUS_SERVER_TOKEN, or name a file that holds the token with --token-file or KLAUS_SERVER_TOKEN_FILE. At the server it is AGENT_API_SECRET, or stands in ~/.klaus/server/token.';

/** A refused request with the code, and so the exit code, that the same has on this machine. */
export function toServerError(problem: Problem, url: string): ServerError {
  const { code, title, detail } = problem;
  if (code === 'unauthorized') {
    return new ServerError('auth', `${url} does not accept the token, or none was sent.`, { hint: TOKEN_HINT });
  }
  return new ServerError(HTTP_CODES[code] ?? (code as ErrorCode), title, { hint: detail });
}
