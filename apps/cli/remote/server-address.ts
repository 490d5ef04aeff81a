import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { toHome } from '@klaus/sdk/home';
import { UsageError } from '../program/report-error.ts';
import { type ServerOptions, toGivenServer } from '../program/server-option.ts';
import { ServerError } from './server-error.ts';

/** Where a server is, and what it is told to be let in. */
export interface ServerAddress {
  /** As people know it, for messages. */
  name: string;
  baseUrl: string;
  /** Unix socket; absent: the host of the address. */
  socketPath?: string;
  token?: string;
  /** True where whoever listens on the way can read the token. */
  isOpenlySent: boolean;
}

const FORMS = 'It is http://host:port, https://host, or unix:/path/klaus.sock.';

/**
 * The server that was given, with its token: from `--token-file`, `KLAUS_SERVER_TOKEN` or `KLAUS_SERVER_TOKEN_FILE`.
 * The server of one's own state folder is reached by its Unix socket, which needs none.
 *
 * @throws UsageError, ServerError `config` for a token file that cannot be read.
 */
export function toServerAddress(options: ServerOptions): ServerAddress {
  const given = toGivenServer(options) ?? '';
  const token = findToken(options);
  if (given.startsWith('unix:')) {
    const socketPath = given.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    if (!isAbsolute(socketPath)) throw new UsageError(`${given} names no absolute path.`, FORMS);
    return { name: given, baseUrl: 'http://localhost', socketPath, ...toToken(token), isOpenlySent: false };
  }
  const url = toUrl(given);
  const baseUrl = url.href.replace(/\/+$/, '');
  const own = token === undefined ? findOwnSocket(url) : undefined;
  if (own !== undefined) return { name: baseUrl, baseUrl: 'http://localhost', socketPath: own, isOpenlySent: false };
  const isOpenlySent = token !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname);
  return { name: baseUrl, baseUrl, ...toToken(token), isOpenlySent };
}

function toToken(token: string | undefined): { token?: string } {
  return token === undefined ? {} : { token };
}

function toUrl(given: string): URL {
  if (/[#&?]token=/.test(given)) {
    const hint = 'Every user of this machine can see it in the list of programs: put it into KLAUS_SERVER_TOKEN.';
    throw new UsageError('The address of the server holds its token.', hint);
  }
  const url = /^https?:\/\//i.test(given) ? URL.parse(given) : null;
  if (!url) throw new UsageError(`"${given}" is no address of a server.`, FORMS);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('The address of a server has no user, no query and no part behind #.', FORMS);
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
    throw new ServerError('config', `The token file ${file} cannot be read: ${why}.`, {
      hint: 'Copy ~/.klaus/server/token from the machine of the server, readable for you alone.',
    });
  }
  // No white space, which would break an HTTP header.
  if (!/^[\x21-\x7e]+$/.test(text)) throw new ServerError('config', `The token file ${file} holds no token.`);
  return text;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The socket of the server of one's own state folder, where the address is the one that it serves. */
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
