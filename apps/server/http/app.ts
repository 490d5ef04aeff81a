import { headOf } from '@klaus/sdk/cut-text';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context as HonoContext } from 'hono';
import type { z } from 'zod';
import { type Route, ROUTES, type RouteName } from '../contract/index.ts';
import { toCaller } from '../access/caller.ts';
import { checkComplete, limitContext } from '../access/limit-context.ts';
import { checkSandbox } from '../access/check-sandbox.ts';
import { OWNER } from '../access/identity.ts';
import type { RequestGuard } from '../access/request-guard.ts';
import { EventStream } from '../streams/event-stream.ts';
import type { Redirect } from '../access/sign-in/sign-in.ts';
import type { Context, Document, Exchange, Handlers, ShownFile } from './handler.ts';
import { agentHandlers } from '../handlers/agents.ts';
import { approvalHandlers } from '../handlers/approvals.ts';
import { attentionHandlers } from '../handlers/attention.ts';
import { changeHandlers } from '../handlers/changes.ts';
import { commitHandlers } from '../handlers/commit.ts';
import { gitHandlers } from '../handlers/git.ts';
import { contentHandlers } from '../handlers/content.ts';
import { copyHandlers } from '../handlers/copies.ts';
import { savedPromptHandlers } from '../handlers/prompts.ts';
import { projectHandlers } from '../handlers/projects.ts';
import { pinHandlers } from '../handlers/pins.ts';
import { processHandlers } from '../handlers/processes.ts';
import { demoHandlers } from '../handlers/settings/demo.ts';
import { guardHandlers } from '../handlers/guard.ts';
import { hookHandlers } from '../handlers/hooks.ts';
import { fileHandlers } from '../handlers/files.ts';
import { mcpHandlers } from '../handlers/mcp.ts';
import { hostHandlers } from '../handlers/host.ts';
import { mcpServerHandlers } from '../handlers/settings/mcp-servers.ts';
import { modelServerHandlers } from '../handlers/settings/model-servers.ts';
import { keyHandlers } from '../handlers/settings/keys.ts';
import { liveHandlers } from '../handlers/live.ts';
import { memoryHandlers } from '../handlers/settings/memory.ts';
import { promptHandlers } from '../handlers/prompt.ts';
import { findRow } from '../handlers/find-row.ts';
import { sessionHandlers } from '../handlers/sessions.ts';
import { settingHandlers } from '../handlers/settings/settings.ts';
import { signInHandlers } from '../handlers/sign-in.ts';
import { runHandlers } from '../handlers/runs.ts';
import { Refusal, toProblem } from './problem.ts';
import { findFrame } from './frames.ts';
import { packJson } from './pack-json.ts';
import { readBody } from './read-body.ts';
import { recordError } from '../observability/request-log.ts';
import {
  toCors,
  toDocumentResponse,
  toFileResponse,
  toProblemResponse,
  toRedirectResponse,
  toResponse,
} from './responses.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { StaticFiles } from './static-files.ts';

const HANDLERS: Handlers = {
  ...hostHandlers,
  ...signInHandlers,
  ...attentionHandlers,
  ...hookHandlers,
  ...guardHandlers,
  ...liveHandlers,
  ...promptHandlers,
  ...sessionHandlers,
  ...runHandlers,
  ...changeHandlers,
  ...commitHandlers,
  ...gitHandlers,
  ...copyHandlers,
  ...pinHandlers,
  ...projectHandlers,
  ...savedPromptHandlers,
  ...processHandlers,
  ...agentHandlers,
  ...approvalHandlers,
  ...fileHandlers,
  ...contentHandlers,
  ...mcpHandlers,
  ...keyHandlers,
  ...modelServerHandlers,
  ...mcpServerHandlers,
  ...memoryHandlers,
  ...demoHandlers,
  ...settingHandlers,
};

export interface AppOptions {
  context: Context;
  guard: RequestGuard;
  files: StaticFiles;
}

type Env = { Bindings: HttpBindings };
type Call = HonoContext<Env>;

/** The routes of the contract, the page, and the answers to everything else. */
export function createApp({ context, guard, files }: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use('*', async (call, next) => {
    const request = call.env.incoming;
    guard.checkOrigin(request);
    const origin = guard.foreignOrigin(request);
    if (origin !== undefined && call.req.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: toCors(origin) });
    await next();
    return undefined;
  });
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    app.on(route.method, route.path, async (call) => {
      const { incoming } = call.env;
      const identity = route.open ? undefined : await guard.checkAccess(incoming, route.role);
      return answer(call, { context, guard, name: name as RouteName, route, identity });
    });
  }
  // Clients without a token must not learn which paths exist.
  app.all('/api/*', async (call) => {
    const { methods, isOpen } = findMethods(call.req.path);
    if (!isOpen) await guard.checkAccess(call.env.incoming, 'viewer');
    throw methods.length > 0 ? notAllowed(call.req, methods) : notFound(call.req.path);
  });
  app.get('*', (call) => {
    const headers = { etag: call.req.header('if-none-match'), encodings: call.req.header('accept-encoding') };
    const found = findFrame(call.req.path) ?? files.find(call.req.path, headers);
    if (found) return toResponse(found.body, { status: found.status, headers: found.headers });
    if (files.exists || call.req.path !== '/') throw notFound(call.req.path);
    const text = 'Klaus is serving its API. The page is not built here: npm run build --workspace apps/web\n';
    return toResponse(text, { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });
  app.all('*', async (call) => {
    const { methods, isOpen } = findMethods(call.req.path);
    if (methods.length > 0 && !isOpen) await guard.checkAccess(call.env.incoming, 'viewer');
    const isFile = call.req.path === '/' || (findFrame(call.req.path) ?? files.find(call.req.path, {})) !== undefined;
    throw methods.length > 0 || isFile
      ? notAllowed(call.req, isFile ? READ_METHODS : methods)
      : notFound(call.req.path);
  });
  app.onError((error, call) => {
    const problem = toProblem(error);
    recordError(call.env.incoming, error);
    return toProblemResponse(call.env.incoming, problem, {
      ...toCors(guard.foreignOrigin(call.env.incoming)),
      ...(error instanceof Refusal ? error.headers : {}),
    });
  });
  return app;
}

interface Answering extends Pick<AppOptions, 'context' | 'guard'> {
  name: RouteName;
  route: Route;
  identity: Exchange['identity'];
}

async function answer(call: Call, { guard, name, route, identity, ...given }: Answering): Promise<Response> {
  const { incoming, outgoing } = call.env;
  const context = identity ? limitContext(given.context, identity) : given.context;
  const headers = { 'cache-control': 'no-store', ...toCors(guard.foreignOrigin(incoming)) };
  if (route.kind === 'stream' && incoming.method === 'HEAD') return toResponse('', { status: 200, headers });
  const input = {
    params: parse(route.params, toParams(call, route), 'address'),
    query: parse(route.query, call.req.query(), 'query'),
    body: route.body ? parse(route.body, await readBody(incoming, context.maxBodyBytes), 'body') : {},
  };
  if (identity && route.projects === 'all') checkComplete(context);
  if (identity && route.projects === 'session' && !(context.seen.isComplete && route.role === 'viewer')) {
    const { id } = await findRow(context, (input.params as { id: string }).id);
    if (route.role !== 'viewer') await checkSandbox(context, identity, id);
  }
  const exchange: Exchange = {
    request: incoming,
    identity,
    by: toCaller(incoming, identity ?? OWNER),
    isSecure: guard.isSecure(incoming),
    guard,
    headers,
    openStream() {
      const stream = new EventStream(outgoing, { ...SECURITY_HEADERS, ...headers });
      if (identity) stream.onClose(context.connections.hold(identity, () => stream.end()));
      return stream;
    },
  };
  // TypeScript does not know that the table pairs this name with its handler.
  const handler = HANDLERS[name] as (...args: unknown[]) => unknown;
  const result = await handler(input, context, exchange);
  if (route.kind === 'stream') return RESPONSE_ALREADY_SENT;
  if (route.kind === 'redirect') {
    const { isSecure } = exchange;
    return toRedirectResponse(result as Redirect, { headers, isSecure, basePath: context.basePath });
  }
  if (route.kind === 'text') return toDocumentResponse(result as Document, headers);
  if (route.kind === 'bytes') return toFileResponse(result as ShownFile, headers);
  const packed = packJson(result, String(incoming.headers['accept-encoding'] ?? ''));
  // A Response would pass the body through two streams.
  outgoing.writeHead(route.status ?? 200, { ...SECURITY_HEADERS, ...headers, ...packed.headers }).end(packed.body);
  return RESPONSE_ALREADY_SENT;
}

function toParams(call: Call, { path }: Route): Record<string, string> {
  if (!path.endsWith('*')) return call.req.param() as Record<string, string>;
  const rest = call.req.path.slice(path.length - 1);
  try {
    return { path: decodeURIComponent(rest) };
  } catch {
    throw new Refusal(400, 'usage', { title: 'The path is not valid percent-encoded UTF-8.' });
  }
}

function parse(schema: z.ZodType | undefined, value: unknown, what: string): unknown {
  if (!schema) return {};
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const { path = '', message = '' } = errors[0] ?? {};
  throw new Refusal(400, 'usage', {
    title: `Invalid request ${what}.`,
    detail: `${path === '' ? '' : `${path}: `}${message}`,
    errors,
  });
}

const READ_METHODS = ['GET', 'HEAD'];
const PATTERNS = Object.values<Route>(ROUTES).map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace(/\*$/, '.+')}$`),
}));

function findMethods(path: string): { methods: string[]; isOpen: boolean } {
  const found = PATTERNS.flatMap(({ route, pattern }) => (pattern.test(path) ? [route] : []));
  return {
    methods: [...new Set(found.flatMap(({ method }) => (method === 'GET' ? READ_METHODS : [method])))],
    isOpen: found.some(({ open }) => open === true),
  };
}

function notAllowed({ method, path }: Call['req'], methods: readonly string[]): Refusal {
  const allow = methods.join(', ');
  return new Refusal(405, 'method_not_allowed', {
    title: `${headOf(method, 20)} is not allowed for ${headOf(path, 200)}.`,
    detail: `Allowed methods: ${allow}.`,
    headers: { allow },
  });
}

function notFound(path: string): Refusal {
  return new Refusal(404, 'not_found', {
    title: `${headOf(path, 200)} does not exist.`,
    detail: '`GET /api/openapi.json` describes all routes.',
  });
}
