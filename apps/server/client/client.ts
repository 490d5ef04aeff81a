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

type StreamName = {
  [N in RouteName]: RouteOf<N> extends { kind: 'stream' } ? N : never;
}[RouteName];

/** One method for each route that is no stream; each throws a ProblemError. Streams: `followSession`, `followHost`. */
export type Client = {
  readonly [N in Exclude<RouteName, StreamName>]: (...given: Arguments<RouteOf<N>>) => Promise<Answer<RouteOf<N>>>;
} & { readonly connection: Connection };

export interface ClientOptions {
  /** Such as `http://127.0.0.1:3001`. Default: where the page came from. */
  baseUrl?: string;
  /** Bearer token. Default: none, for a page that has signed in. */
  token?: string;
  /** What the caller is: the log says it of answers and of the wish to stop. Default: it says nothing. */
  as?: ClientName;
  fetch?: typeof globalThis.fetch;
}

/** A client of the server, typed by its routes. Holds nothing open. */
export function createClient({
  baseUrl = '',
  token,
  as,
  fetch = globalThis.fetch.bind(globalThis),
}: ClientOptions = {}): Client {
  const connection: Connection = { baseUrl: baseUrl.replace(/\/$/, ''), token, as, fetch };
  const methods = Object.entries<Route>(ROUTES)
    .filter(([, { kind }]) => kind !== 'stream')
    .map(([name, route]) => [name, (...words: unknown[]) => call(connection, route, words)]);
  return { ...Object.fromEntries(methods), connection } as Client;
}

interface AnyGiven {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

async function call(connection: Connection, route: Route, words: unknown[]): Promise<unknown> {
  const takes = route.params ?? route.query ?? route.body;
  const given = (takes ? words[0] : undefined) as AnyGiven | undefined;
  const options = (takes ? words[1] : words[0]) as CallOptions | undefined;
  const response = await request(connection, {
    method: route.method,
    path: toPath(route.path, given),
    ...(route.body ? { body: given?.body ?? {} } : {}),
    signal: options?.signal,
  });
  try {
    return await (route.kind === 'text' ? response.text() : response.json());
  } catch (error) {
    // The connection broke in the middle of the answer: whether it was done nobody here can know.
    if (options?.signal?.aborted) throw error;
    throw toUnreachable(error);
  }
}

/** The address of a route with its parameters in place. */
export function toPath(path: string, { params = {}, query = {} }: AnyGiven = {}): string {
  const filled = path
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    .replace(/\*$/, () => (params['path'] ?? '').split('/').map(encodeURIComponent).join('/'));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
