import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { toHome } from '@klaus/sdk/home';
import { CliError, UsageError } from '../../program/cli-error.ts';
import { type ServerOptions, toGivenServer } from '../../program/server-option.ts';

/** The address of a server, with the token for it. */
export interface ServerAddress {
  /** For messages. */
  name: string;
  baseUrl: string;
  /** Unix socket; absent: the host of the address. */
  socketPath?: string;
  token?: string;
  /** True if the token is sent unencrypted over a network. */
  isUnencrypted: boolean;
}

const FORMS = 'Use http://host:port, https://host, or unix:/path/klaus.sock.';

/**
 * The server that the options name, with its token from `--token-file`, `KLAUS_SERVER_TOKEN` or
 * `KLAUS_SERVER_TOKEN_FILE`. The server of the own state folder is reached by its Unix socket, which needs no token.
 *
 * @throws UsageError, CliError `config` for a token file that cannot be read.
 */
export function toServerAddress(options: ServerOptions): ServerAddress {
  const given = toGivenServer(options) ?? '';
  const token = findToken(options);
  if (given.startsWith('unix:')) {
    const socketPath = given.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    if (!isAbsolute(socketPath)) throw new UsageError(`${given} is not an absolute path.`, FORMS);
    return { name: given, baseUrl: 'http://localhost', socketPath, ...toToken(token), isUnencrypted: false };
  }
  const url = toUrl(given);
  const baseUrl = url.href.replace(/\/+$/, '');
  const own = token === undefined ? findOwnSocket(url) : undefined;
  if (own !== undefined) return { name: baseUrl, baseUrl: 'http://localhost', socketPath: own, isUnencrypted: false };
  const isUnencrypted = token !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname);
  return { name: baseUrl, baseUrl, ...toToken(token), isUnencrypted };
}

function toToken(token: string | undefined): { token?: string } {
  return token === undefined ? {} : { token };
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

function findToken({ tokenFile }: ServerOptions): string | undefined {
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
  const socket = join(toHome(process.env, process.cwd()), 'server', 'klaus.sock');
  try {
    const served = new URL((JSON.parse(readFileSync(`${socket}.json`, 'utf8')) as { url: string }).url);
    const isSame = served.port === url.port && isLoopback(served.hostname);
    return isSame ? socket : undefined;
  } catch {
    return undefined;
  }
}
