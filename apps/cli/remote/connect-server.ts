import { optional } from '@klaus/sdk/optional';
import { createClient, isProblemError, type Client } from '@klaus/server/client';
import { API_VERSION } from '@klaus/server/contract';
import { VERSION } from '@klaus/sdk/version';
import type { ServerOptions } from '../program/server-option.ts';
import { createFetch } from './http-fetch.ts';
import { ServerError, toServerError } from './server-error.ts';
import { type ServerAddress, toServerAddress } from './server-address.ts';

/** A server elsewhere that answered. */
export interface RemoteServer {
  /** As people know it. */
  readonly name: string;
  readonly client: Client;
  /** What further commands need to reach it: ` --server URL`; empty where KLAUS_SERVER says it. */
  readonly at: string;
  /** A word of warning about the way there. */
  readonly warning: string | undefined;
}

/**
 * Finds the server that was given, and sees that both speak the same API.
 *
 * @throws UsageError, ServerError `config`, `auth`.
 */
async function connectServer(options: ServerOptions): Promise<RemoteServer> {
  const address = toServerAddress(options);
  const { name, baseUrl, socketPath, token } = address;
  const client = createClient({
    baseUrl,
    as: 'cli',
    fetch: createFetch(socketPath),
    ...optional({ token }),
  });
  await checkVersion(client, name);
  return {
    name,
    client,
    at: options.server === undefined ? '' : ` --server ${options.server}`,
    warning: toWarning(address),
  };
}

/**
 * Does something at the server that was given. What it refuses, and a connection that is lost for good, becomes an
 * error as of this machine.
 */
export async function atServer(
  options: ServerOptions,
  act: (server: RemoteServer) => Promise<number>,
): Promise<number> {
  const server = await connectServer(options);
  try {
    return await act(server);
  } catch (error) {
    if (!isProblemError(error)) throw error;
    throw error.problem.status === 0
      ? toUnreachable(error.cause, server.name)
      : toServerError(error.problem, server.name);
  }
}

function toWarning({ name, isOpenlySent }: ServerAddress): string | undefined {
  return isOpenlySent
    ? `The token goes to ${name} unencrypted. Outside of a network that you trust, use https:// or an SSH tunnel.`
    : undefined;
}

async function checkVersion(client: Client, name: string): Promise<void> {
  let health: { status?: unknown; version?: unknown; api?: unknown };
  try {
    health = await client.health();
  } catch (error) {
    if (!isProblemError(error) || error.cause instanceof SyntaxError) throw noKlaus(name, 'its answer is no JSON');
    const { status, code } = error.problem;
    if (status === 0) throw toUnreachable(error.cause, name);
    // What speaks like Klaus, and refuses the host.
    if (code === 'forbidden') throw toServerError(error.problem, name);
    throw noKlaus(name, `it answers /health with ${status}`);
  }
  if (health?.status !== 'ok' || typeof health.version !== 'string')
    throw noKlaus(name, 'it answers /health otherwise');
  if (health.api === API_VERSION) return;
  throw new ServerError(
    'config',
    `${name} speaks version ${typeof health.api === 'number' ? health.api : 0} of the API, and this klaus version ${API_VERSION}.`,
    { hint: `Install the same klaus on both: ${health.version} there, ${VERSION} here.` },
  );
}

function noKlaus(name: string, why: string): ServerError {
  return new ServerError('config', `There is no klaus serve at ${name}: ${why}.`, {
    hint: 'klaus serve prints its address; a proxy before it must hand on all paths.',
  });
}

/** Why a server cannot be reached, with what can be done about it. */
export function toUnreachable(cause: unknown, name: string): ServerError {
  const { code = '' } = (cause ?? {}) as { code?: string };
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT)/.test(code)) {
    return new ServerError('config', `The certificate of ${name} is not accepted: ${reason}.`, {
      hint: 'NODE_EXTRA_CA_CERTS=FILE names an authority of your own; the name in the address must be one of the certificate.',
      cause,
    });
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return new ServerError('config', `${name} speaks no TLS.`, {
      hint: 'klaus serve speaks plain HTTP: use http://, or the address of the proxy before it.',
      cause,
    });
  }
  const why = REASONS[code] ?? reason;
  return new ServerError('config', `${name} cannot be reached: ${why}.`, {
    hint: name.startsWith('unix:')
      ? 'klaus serve must run there; klaus doctor names the socket of this state folder.'
      : 'See that klaus serve runs there and listens on an address that is reachable from here: ssh -L 3001:127.0.0.1:3001 HOST needs no other.',
    cause,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOENT: 'there is no such socket',
  EACCES: 'the socket belongs to another user',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no network',
  ECONNRESET: 'it hung up',
};
