import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { toHome } from '@klaus/sdk/home';
import { VERSION } from '@klaus/sdk/version';
import { type Client, createClient, isProblemError } from '@klaus/server/client';
import { API_VERSION } from '@klaus/server/contract';
import { createFetch } from './http-fetch.ts';
import { toRequestError, toServerError, toUnreachable } from './server-error.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import { findForeignPart } from '../../instance/trusted-folder.ts';

/** A server that answered and has the same API. */
export type ConnectedServer = Awaited<ReturnType<typeof connectServer>>;

/**
 * Connects to the server that the options name, and checks that both have the same API.
 *
 * @throws UsageError, CliError `config`, `auth`.
 */
export async function connectServer(options: Options) {
  const { name, baseUrl, socketPath, token, isUnencrypted } = toServerAddress(options);
  const client = createClient({ baseUrl, as: 'cli', fetch: createFetch(socketPath), token });
  await checkVersion(client, name);
  return {
    /** Its address, for messages. */
    name,
    client,
    /** Turns the error of a request into one with a code. */
    ask: async <T>(request: Promise<T>): Promise<T> => {
      try {
        return await request;
      } catch (error) {
        throw toRequestError(error, name);
      }
    },
    /** What further commands need to reach it: ` --server URL`; empty if KLAUS_SERVER names it. */
    at: options.server === undefined ? '' : ` --server ${options.server}`,
    /** A warning about the connection. */
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

const FORMS = 'Use http://host:port, https://host, or unix:/path/klaus.sock.';

/**
 * The server that the options name, with its token from `--token-file`, `KLAUS_SERVER_TOKEN` or
 * `KLAUS_SERVER_TOKEN_FILE`. The server of the own state folder is reached by its Unix socket, which needs no token.
 *
 * @returns `isUnencrypted`: the token is sent unencrypted over a network.
 * @throws UsageError, CliError `config` for a token file that cannot be read.
 */
function toServerAddress(options: Options) {
  const given = toGivenServer(options) ?? '';
  const token = findToken(options);
  if (given.startsWith('unix:')) {
    const socketPath = given.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    if (!isAbsolute(socketPath)) throw new UsageError(`${given} is not an absolute path.`, FORMS);
    return { name: given, baseUrl: 'http://localhost', socketPath, token, isUnencrypted: false };
  }
  const url = toUrl(given);
  const baseUrl = url.href.replace(/\/+$/, '');
  const own = token === undefined ? findOwnSocket(url) : undefined;
  if (own !== undefined)
    return { name: baseUrl, baseUrl: 'http://localhost', socketPath: own, token, isUnencrypted: false };
  const isUnencrypted = token !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname);
  return { name: baseUrl, baseUrl, socketPath: undefined, token, isUnencrypted };
}

function toUrl(given: string): URL {
  if (/[#&?]token=/.test(given)) {
    const hint = 'Every user of this machine can see it in the list of processes. Set `KLAUS_SERVER_TOKEN` instead.';
    throw new UsageError('The address of the server holds its token.', hint);
  }
  const url = /^https?:\/\//i.test(given) ? URL.parse(given) : null;
  if (!url) throw new UsageError(`"${given}" is not the address of a server.`, FORMS);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('The address of a server must not have a user, a query or a fragment.', FORMS);
  }
  return url;
}

function findToken({ tokenFile }: Options): string | undefined {
  const { KLAUS_SERVER_TOKEN: token, KLAUS_SERVER_TOKEN_FILE: named } = process.env;
  const file = tokenFile ?? (token ? undefined : named || undefined);
  if (file === undefined) return token || undefined;
  let text: string;
  try {
    text = readFileSync(resolve(file), 'utf8').trim();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new CliError('config', `The token file ${file} cannot be read: ${why}.`, {
      hint: 'Copy `~/.klaus/server/token` from the machine of the server, readable by your user only.',
    });
  }
  // White space would break an HTTP header.
  if (!/^[\x21-\x7e]+$/.test(text)) throw new CliError('config', `The token file ${file} holds no token.`);
  return text;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The socket of the server of the own state folder, if the address is that of this server. */
function findOwnSocket(url: URL): string | undefined {
  if (!isLoopback(url.hostname)) return undefined;
  const folder = join(toHome(process.env, process.cwd()), 'server');
  if (findForeignPart(folder) !== undefined) return undefined;
  const socket = join(folder, 'klaus.sock');
  try {
    const served = new URL((JSON.parse(readFileSync(`${socket}.json`, 'utf8')) as { url: string }).url);
    const isSame = served.port === url.port && isLoopback(served.hostname);
    return isSame ? socket : undefined;
  } catch {
    return undefined;
  }
}
