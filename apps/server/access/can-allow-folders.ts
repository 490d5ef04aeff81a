import type { IncomingMessage } from 'node:http';
import type { Context, Exchange } from '../http/handler.ts';
import { Refusal } from '../http/problem.ts';
import { readPresent } from './present-settings.ts';
import { isLocal, isLoopback } from './request-guard.ts';

/** Headers that a proxy adds. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

type Asked = Pick<Exchange, 'request' | 'identity' | 'guard'>;
type Served = Pick<Context, 'klaus' | 'basePath'>;

/**
 * True for the user who runs the server, on its machine: over the Unix socket or by a direct connection on loopback with
 * the token, in a page of the server itself. Never behind a proxy, for a person who signed in, with a list in
 * `server.workspaces`, which is complete, and with `server.settings=false`.
 */
export async function canAllowFolders({ klaus, basePath }: Served, asked: Asked): Promise<boolean> {
  const { identity } = asked;
  if (identity?.role !== 'admin' || identity.name !== undefined || identity.folders !== undefined) return false;
  const configuration = await readPresent(klaus);
  if (!configuration.get('server.settings') || configuration.get('server.workspaces').length > 0) return false;
  if (isLocal(asked.request)) return true;
  const isDirect = basePath === '' && configuration.get('server.corsOrigin').length === 0;
  return isDirect && String(configuration.get('server.trustProxy')) === 'false' && isFromMachine(asked);
}

/** @throws Refusal 403. */
export async function checkCanAllowFolders(served: Served, asked: Asked): Promise<void> {
  if (await canAllowFolders(served, asked)) return;
  throw new Refusal(403, 'forbidden', {
    title: 'Only the user who runs the server allows a folder, on its machine.',
    detail:
      'Open the page at the loopback address of the server with its token, or add the folder to the setting `server.workspaces` (KLAUS_SERVER_WORKSPACES). If that setting has a list, the list is complete.',
  });
}

function isFromMachine({ request, guard }: Asked): boolean {
  const { host = '', origin } = request.headers;
  const isOwnPage = origin === undefined || origin.toLowerCase() === guard.ownOrigin(request);
  return isOwnPage && isLoopback(toName(host)) && isLoopback(remoteOf(request)) && !isForwarded(request);
}

function isForwarded({ headers }: IncomingMessage): boolean {
  return FORWARDED.some((name) => headers[name] !== undefined);
}

/** Without an IPv4-mapped prefix. */
function remoteOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Without the port and the brackets of an address. */
function toName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '');
}
