import {
  ROUTES,
  type Answer,
  type ClientName,
  type Given,
  type Route,
  type RouteName,
  type RouteOf,
} from '../contract/index.ts';
import { type Connection, request, toUnreachable } from './request.ts';

type Arguments<R extends Route> =
  unknown extends Given<R>
    ? [options?: CallOptions]
    : {} extends Given<R>
      ? [given?: Given<R>, options?: CallOptions]
      : [given: Given<R>, options?: CallOptions];

export interface CallOptions {
  signal?: AbortSignal;
}

/** One method for each route without a stream, a redirect or a file. Each throws a ProblemError. For streams see `followSession` and `followHost`. */
export type Client = {
  readonly [N in RouteName as RouteOf<N> extends { kind: 'stream' | 'redirect' | 'bytes' } ? never : N]: (
    ...given: Arguments<RouteOf<N>>
  ) => Promise<Answer<RouteOf<N>>>;
} & { readonly connection: Connection };

export interface ClientOptions {
  /** Such as `http://127.0.0.1:3001`. Default: the origin of the page. */
  baseUrl?: string;
  /** Bearer token. Default: none, for a page with a cookie. */
  token?: string;
  /** The kind of client, which the log records with approvals and cancel requests. Default: not recorded. */
  as?: ClientName;
  fetch?: typeof globalThis.fetch;
}

/** A client of the server, typed by its routes. It holds no connection. */
export function createClient({
  baseUrl = '',
  token,
  as,
  fetch = globalThis.fetch.bind(globalThis),
}: ClientOptions = {}): Client {
  const connection: Connection = { baseUrl: baseUrl.replace(/\/$/, ''), token, as, fetch };
  const methods = Object.entries<Route>(ROUTES)
    .filter(([, { kind }]) => kind !== 'stream' && kind !== 'redirect' && kind !== 'bytes')
    .map(([name, route]) => [name, (...args: unknown[]) => call(connection, route, args)]);
  return { ...Object.fromEntries(methods), connection } as Client;
}

interface AnyGiven {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

async function call(connection: Connection, route: Route, args: unknown[]): Promise<unknown> {
  const takes = route.params ?? route.query ?? route.body;
  const [given, options] = (takes ? args : [undefined, ...args]) as [AnyGiven?, CallOptions?];
  const response = await request(connection, {
    method: route.method,
    path: toPath(route.path, given),
    ...(route.body ? { body: given?.body ?? {} } : {}),
    signal: options?.signal,
  });
  try {
    return await (route.kind === 'text' ? response.text() : response.json());
  } catch (error) {
    // The connection broke during the answer: the outcome of the request is unknown.
    if (options?.signal?.aborted) throw error;
    throw toUnreachable(error);
  }
}

/** The address of a route with its parameters and its query. */
export function toPath(path: string, { params = {}, query = {} }: AnyGiven = {}): string {
  const filled = path
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    .replace(/\*$/, () => (params['path'] ?? '').split('/').map(encodeURIComponent).join('/'));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
