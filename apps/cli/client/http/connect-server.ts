import { optional } from '@klaus/sdk/optional';
import { VERSION } from '@klaus/sdk/version';
import { createClient, isProblemError, type Client } from '@klaus/server/client';
import { API_VERSION } from '@klaus/server/contract';
import { CliError } from '../../program/cli-error.ts';
import type { ServerOptions } from '../../program/server-option.ts';
import { createFetch } from './http-fetch.ts';
import { toServerAddress } from './server-address.ts';
import { toServerError, toUnreachable } from './server-error.ts';

/** A server that answered and has the same API. */
export interface ConnectedServer {
  /** Its address, for messages. */
  readonly name: string;
  readonly client: Client;
  /** What further commands need to reach it: ` --server URL`; empty if KLAUS_SERVER names it. */
  readonly at: string;
  /** A warning about the connection. */
  readonly warning: string | undefined;
}

/**
 * Connects to the server that the options name, and checks that both have the same API.
 *
 * @throws UsageError, CliError `config`, `auth`.
 */
export async function connectServer(options: ServerOptions): Promise<ConnectedServer> {
  const { name, baseUrl, socketPath, token, isUnencrypted } = toServerAddress(options);
  const client = createClient({ baseUrl, as: 'cli', fetch: createFetch(socketPath), ...optional({ token }) });
  await checkVersion(client, name);
  return {
    name,
    client,
    at: options.server === undefined ? '' : ` --server ${options.server}`,
    warning: isUnencrypted
      ? `The token is sent to ${name} unencrypted. Outside of a trusted network, use https:// or an SSH tunnel.`
      : undefined,
  };
}

async function checkVersion(client: Client, name: string): Promise<void> {
  let health: { status?: unknown; version?: unknown; api?: unknown };
  try {
    health = await client.health();
  } catch (error) {
    if (!isProblemError(error) || error.cause instanceof SyntaxError) throw noKlaus(name, 'its answer is not JSON');
    const { status, code } = error.problem;
    if (status === 0) throw toUnreachable(error.cause, name);
    // A Klaus that refuses the host.
    if (code === 'forbidden') throw toServerError(error.problem, name);
    throw noKlaus(name, `it answers /health with status ${status}`);
  }
  if (health?.status !== 'ok' || typeof health.version !== 'string')
    throw noKlaus(name, 'its answer to /health is not that of Klaus');
  if (health.api === API_VERSION) return;
  throw new CliError(
    'config',
    `${name} speaks version ${typeof health.api === 'number' ? health.api : 0} of the API, and this klaus version ${API_VERSION}.`,
    { hint: `Install the same version of Klaus on both: ${health.version} is there, ${VERSION} is here.` },
  );
}

function noKlaus(name: string, why: string): CliError {
  return new CliError('config', `There is no klaus serve at ${name}: ${why}.`, {
    hint: '`klaus serve` prints its address. A proxy in front of it must forward all paths.',
  });
}
