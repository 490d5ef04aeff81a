import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context as HonoContext } from 'hono';
import type { z } from 'zod';
import { CLIENT_HEADER, type Problem, type Route, ROUTES, type RouteName } from '../contract/index.ts';
import type { RequestGuard } from '../access/request-guard.ts';
import { EventStream } from '../streams/event-stream.ts';
import type { Context, Document, Exchange, Handlers } from './handler.ts';
import { approvalHandlers } from '../handlers/approvals.ts';
import { contextHandlers } from '../handlers/context.ts';
import { fileHandlers } from '../handlers/files.ts';
import { hostHandlers } from '../handlers/host.ts';
import { liveHandlers } from '../handlers/live.ts';
import { promptHandlers } from '../handlers/prompt.ts';
import { sessionHandlers } from '../handlers/sessions.ts';
import { workHandlers } from '../handlers/runs.ts';
import { Refusal, toProblem } from './problem.ts';
import { readBody } from './read-body.ts';
import { noteFailure, requestIdOf } from '../observability/request-log.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { StaticFiles } from './static-files.ts';

const HANDLERS: Handlers<RouteName> = {
  ...hostHandlers,
  ...liveHandlers,
  ...promptHandlers,
  ...sessionHandlers,
  ...workHandlers,
  ...contextHandlers,
  ...approvalHandlers,
  ...fileHandlers,
};

export interface AppOptions {
  context: Context;
  doorkeeper: RequestGuard;
  files: StaticFiles;
}

type Env = { Bindings: HttpBindings };
type Call = HonoContext<Env>;

/** The routes of the contract, the page, and what is refused. */
export function createApp({ context, doorkeeper, files }: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use('*', async (call, next) => {
    const request = call.env.incoming;
    doorkeeper.checkPlace(request);
    const origin = doorkeeper.foreignOrigin(request);
    if (origin !== undefined && call.req.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: toCors(origin) });
    await next();
    return undefined;
  });
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    app.on(route.method, route.path, async (call) => {
      if (!route.open) doorkeeper.checkToken(call.env.incoming);
      return answer(call, { context, doorkeeper, name: name as RouteName, route });
    });
  }
  // Whoever has no token learns nothing of what there is.
  app.all('/api/*', (call) => {
    const { methods, isOpen } = findMethods(call.req.path);
    if (!isOpen) doorkeeper.checkToken(call.env.incoming);
    throw methods.length > 0 ? notAllowed(call.req, methods) : notFound(call.req.path);
  });
  app.get('*', (call) => {
    const headers = { etag: call.req.header('if-none-match'), encodings: call.req.header('accept-encoding') };
    const found = files.find(call.req.path, headers);
    if (found) return toResponse(found.body, { status: found.status, headers: found.headers });
    if (files.exists || call.req.path !== '/') throw notFound(call.req.path);
    const text = 'Klaus is serving its API. The page is not built here: npm run build --workspace apps/web\n';
    return toResponse(text, { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });
  app.all('*', (call) => {
    const { methods, isOpen } = findMethods(call.req.path);
    if (methods.length > 0 && !isOpen) doorkeeper.checkToken(call.env.incoming);
    const isFile = call.req.path === '/' || files.find(call.req.path, {}) !== undefined;
    throw methods.length > 0 || isFile ? notAllowed(call.req, isFile ? READING : methods) : notFound(call.req.path);
  });
  app.onError((error, call) => {
    const problem = toProblem(error);
    noteFailure(call.env.incoming, error);
    const origin = doorkeeper.foreignOrigin(call.env.incoming);
    return toProblemResponse(call, problem, {
      ...(origin === undefined ? {} : toCors(origin)),
      ...(error instanceof Refusal ? error.headers : {}),
    });
  });
  return app;
}

interface Answering {
  context: Context;
  doorkeeper: RequestGuard;
  name: RouteName;
  route: Route;
}

async function answer(call: Call, { context, doorkeeper, name, route }: Answering): Promise<Response> {
  const { incoming, outgoing } = call.env;
  const origin = doorkeeper.foreignOrigin(incoming);
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    ...(origin === undefined ? {} : toCors(origin)),
  };
  if (route.kind === 'stream' && incoming.method === 'HEAD') return toResponse('', { status: 200, headers });
  const given = {
    params: parse(route.params, toParams(call, route), 'The address'),
    query: parse(route.query, call.req.query(), 'The query'),
    body: route.body ? parse(route.body, await readBody(call.req.raw, context.maxBodyBytes), 'The body') : {},
  };
  const exchange: Exchange = {
    request: incoming,
    response: outgoing,
    isSecure: doorkeeper.isSecure(incoming),
    door: doorkeeper,
    headers,
    openStream: () => new EventStream(outgoing, { ...SECURITY_HEADERS, ...headers }),
  };
  // The table pairs each name with its handler; TypeScript cannot follow a name that is not known before.
  const handler = HANDLERS[name] as (...words: unknown[]) => unknown;
  const result = await handler(given, context, exchange);
  if (route.kind === 'stream') return RESPONSE_ALREADY_SENT;
  if (route.kind === 'text') return toDocument(result as Document, headers);
  const type = { 'content-type': 'application/json' };
  return toResponse(JSON.stringify(result), { status: route.status ?? 200, headers: { ...headers, ...type } });
}

function toParams(call: Call, { path }: Route): Record<string, string> {
  if (!path.endsWith('*')) return call.req.param() as Record<string, string>;
  const rest = call.req.path.slice(path.length - 1);
  try {
    return { path: decodeURIComponent(rest) };
  } catch {
    throw new Refusal(400, 'usage', { title: 'The path is not well-formed.' });
  }
}

function parse(schema: z.ZodType | undefined, value: unknown, what: string): unknown {
  if (!schema) return {};
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const { path = '', message = '' } = errors[0] ?? {};
  throw new Refusal(400, 'usage', {
    title: `${what} does not fit.`,
    detail: `${path === '' ? '' : `${path}: `}${message}`,
    errors,
  });
}

const READING = ['GET', 'HEAD'];
const PATTERNS = Object.values<Route>(ROUTES).map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace(/\*$/, '.+')}$`),
}));

/** The methods that a path knows, and whether it needs no token. */
function findMethods(path: string): { methods: string[]; isOpen: boolean } {
  const found = PATTERNS.flatMap(({ route, pattern }) => (pattern.test(path) ? [route] : []));
  return {
    methods: [...new Set(found.flatMap(({ method }) => (method === 'GET' ? READING : [method])))],
    isOpen: found.some(({ open }) => open === true),
  };
}

function notAllowed({ method, path }: Call['req'], methods: readonly string[]): Refusal {
  const allow = methods.join(', ');
  return new Refusal(405, 'method_not_allowed', {
    title: `${method.slice(0, 20)} is not known at ${path.slice(0, 200)}.`,
    detail: `What is: ${allow}.`,
    headers: { allow },
  });
}

function notFound(path: string): Refusal {
  return new Refusal(404, 'not_found', {
    title: `There is nothing at ${path.slice(0, 200)}.`,
    detail: 'GET /api/openapi.json describes what there is.',
  });
}

function toProblemResponse(call: Call, problem: Problem, headers: Record<string, string> = {}): Response {
  return toResponse(JSON.stringify({ ...problem, requestId: requestIdOf(call.env.incoming) }), {
    status: problem.status,
    headers: { ...headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  });
}

function toResponse(body: string | Uint8Array, init: { status: number; headers: Record<string, string> }): Response {
  const isEmpty = init.status === 304;
  return new Response(isEmpty ? null : (body as Uint8Array<ArrayBuffer> | string), {
    ...init,
    headers: { ...SECURITY_HEADERS, ...init.headers },
  });
}

async function* toPieces(content: Document['content']): AsyncGenerator<string, void, undefined> {
  yield* content;
}

/** A document piece by piece: a long session is never held as one text. */
function toDocument({ mediaType, fileName, content }: Document, headers: Record<string, string>): Response {
  const pieces = toPieces(content);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  const disposition = fileName === undefined ? {} : { 'content-disposition': `attachment; filename="${fileName}"` };
  return new Response(body, {
    headers: { ...SECURITY_HEADERS, ...headers, 'content-type': mediaType, ...disposition },
  });
}

function toCors(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': `authorization, content-type, last-event-id, ${CLIENT_HEADER}`,
    'access-control-expose-headers': 'x-request-id',
    'access-control-max-age': '600',
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'origin',
  };
}
