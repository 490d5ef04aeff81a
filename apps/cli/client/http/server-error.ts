import type { ErrorCode } from '@klaus/sdk';
import { isProblemError } from '@klaus/server/client';
import type { Problem, ProblemCode } from '@klaus/server/contract';
import { messageOf } from '@klaus/sdk/message-of';
import { CliError } from '../../program/cli-error.ts';

/** Codes of HTTP problems that the engine does not have, as codes of the engine. */
const ENGINE_CODES: Readonly<Partial<Record<ProblemCode, ErrorCode>>> = {
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
  'Set `KLAUS_SERVER_TOKEN`, or pass a file with the token to `--token-file` or `KLAUS_SERVER_TOKEN_FILE`. On the server, the token is AGENT_API_SECRET or the content of `~/.klaus/server/token`.';

/** A refused request, with the code and the exit code that the same error has on this machine. */
export function toServerError({ code, title, detail }: Problem, server: string): CliError {
  return code === 'unauthorized'
    ? new CliError('auth', `${server} does not accept the token, or none was sent.`, { hint: TOKEN_HINT })
    : new CliError(ENGINE_CODES[code] ?? (code as ErrorCode), title, { hint: detail });
}

/** The error of a failed request. */
export function toRequestError(error: unknown, server: string): unknown {
  if (!isProblemError(error)) return error;
  return error.problem.status === 0 ? toUnreachable(error.cause, server) : toServerError(error.problem, server);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens there',
  ENOENT: 'there is no such socket',
  EACCES: 'the socket belongs to another user',
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'its name cannot be resolved now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no network',
  ECONNRESET: 'it closed the connection',
};

/** Why a server cannot be reached, with what the user can do. */
export function toUnreachable(cause: unknown, server: string): CliError {
  const { code = '' } = (cause ?? {}) as { code?: string };
  const reason = messageOf(cause);
  if (/^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/.test(code)) {
    const hint =
      'Set `NODE_EXTRA_CA_CERTS=FILE` for a private certificate authority. The host in the address must be in the certificate.';
    return new CliError('config', `The certificate of ${server} is not accepted: ${reason}.`, { hint, cause });
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    const hint = '`klaus serve` uses plain HTTP: use http://, or the address of the proxy in front of it.';
    return new CliError('config', `${server} speaks no TLS.`, { hint, cause });
  }
  const hint = server.startsWith('unix:')
    ? '`klaus serve` must be running; `klaus doctor` prints the socket of this state folder.'
    : 'Check that `klaus serve` is running and listens on an address that this machine can reach. `ssh -L 3001:127.0.0.1:3001 HOST` forwards the default one.';
  return new CliError('config', `${server} cannot be reached: ${REASONS[code] ?? reason}.`, { hint, cause });
}
