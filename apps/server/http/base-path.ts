import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Configuration, KlausError } from '@klaus/sdk';
import { ROUTES, type Route } from '../contract/index.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** First steps of paths that no route has. */
const OTHER_PATHS = ['assets', 'frames', 'socket.io'];

/**
 * The path below which browsers reach the server; '' without one.
 *
 * @throws KlausError `config` for one that begins as a path of the server does: behind a proxy that removes it, it could
 *   be either.
 */
export function toBasePath(configuration: Pick<Configuration, 'get'>): string {
  const basePath = configuration.get('server.basePath') ?? '';
  const first = basePath.split('/')[1];
  const own = [...Object.values<Route>(ROUTES).map(({ path }) => path.split('/')[1]), ...OTHER_PATHS];
  if (first === undefined || !own.includes(first)) return basePath;
  throw new KlausError('config', `The server has paths of its own that begin with /${first}.`, {
    hint: 'Choose another `server.basePath`, such as /klaus.',
  });
}

/** Removes the base path from the target of a request, if its proxy has not done so. */
export function removeBasePath(request: IncomingMessage, basePath: string): void {
  const [origin, path] = splitTarget(request);
  if (basePath !== '' && path.startsWith(`${basePath}/`)) request.url = origin + path.slice(basePath.length);
}

/** Answers a request for the base path without a slash, with which the page would not find its files. */
export function redirectToPage(request: IncomingMessage, response: ServerResponse, basePath: string): boolean {
  const [path, search] = splitTarget(request)[1].split('?', 2);
  if (basePath === '' || path !== basePath) return false;
  const location = `${basePath}/${search === undefined ? '' : `?${search}`}`;
  response.writeHead(308, { ...SECURITY_HEADERS, location, 'content-length': 0 }).end();
  return true;
}

/** Scheme and host of a target in the absolute form, else '', and the rest. */
function splitTarget({ url = '/' }: IncomingMessage): [origin: string, path: string] {
  const origin = /^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? '';
  return [origin, url.slice(origin.length)];
}
