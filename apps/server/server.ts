import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { KlausError, type Klaus } from '@klaus/sdk';
import { createApp } from './http/app.ts';
import { Deletions } from './runs/deletions.ts';
import { byToken, createRequestGuard, isLoopback, markLocal } from './access/request-guard.ts';
import { createEventLog } from './observability/event-log.ts';
import type { Context } from './http/handler.ts';
import { HostFeed } from './streams/session-list-feed.ts';
import { Hubs } from './streams/session-hubs.ts';
import { InFlightText } from './streams/in-flight-text.ts';
import type { Log } from './observability/log.ts';
import type { Metrics } from './observability/metrics.ts';
import { followRequest } from './observability/request-log.ts';
import { RunQueue } from './runs/run-queue.ts';
import { toShutdownTimes } from './runs/shutdown-times.ts';
import { createSockets, type Sockets } from './sockets/sockets.ts';
import { createStaticFiles } from './http/static-files.ts';
import { createToken, readToken } from './access/token.ts';
import { createPlaces } from './access/allowed-workspaces.ts';
import { knownWorkspaces } from './handlers/files.ts';
import { createWebhook, type Webhook } from './runs/webhook.ts';

/** Bytes of a request's body: some pasted images. */
const MAX_BODY_BYTES = 32 * 1_024 * 1_024;
/** Milliseconds after which a client of a server that goes down comes again. */
const COME_AGAIN_MS = 1_000;
/** Milliseconds after which a connection that is still open at the end is cut off. */
const CUT_MS = 250;
/** Characters of the path of a Unix socket on Linux. Source: unix(7). */
const MAX_SOCKET_PATH = 107;

export interface ServerOptions {
  klaus: Klaus;
  /** Address to listen on. Default `127.0.0.1`. */
  host?: string;
  /** Default 3001; 0 takes a free one. */
  port?: number;
  log: Log;
  version: string;
}

/** A server that answers. */
export interface RunningServer {
  /** Such as `http://127.0.0.1:3001`. */
  readonly url: string;
  /** Path of the Unix socket; null where its path would be too long. */
  readonly socket: string | null;
  /** Absolute path; null where the token is AGENT_API_SECRET. */
  readonly tokenFile: string | null;
  readonly token: string;
  /** What it answers, as the router knows it. */
  readonly routes: readonly { method: string; path: string }[];
  /** Sessions of an earlier server that it goes on with. */
  readonly takenOver: readonly string[];
  /** Ends each run's present step, tells streams when to come again, and closes. Klaus itself stays open. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves an engine over HTTP: on an address of this machine, and on a Unix socket of this user.
 *
 * @throws KlausError `config` for an address that others reach without AGENT_API_SECRET, `usage` for a port that is
 *   taken, `store.busy` when a server of the same state folder runs.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { klaus, host = '127.0.0.1', port = 3001 } = options;
  const secret = klaus.configuration.get('server.secret');
  if (!isLoopback(host) && secret === undefined) {
    throw new KlausError('config', `${host} can be reached from other machines, and no secret is set.`, {
      hint: 'Set AGENT_API_SECRET, or leave out --host and use ssh -L 3001:127.0.0.1:3001 from the other machine.',
    });
  }
  const folder = join(klaus.home, 'server');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = takePlace(klaus);
  try {
    return await startInPlace({ ...options, host, port, secret, folder, place });
  } catch (error) {
    place.release();
    throw error;
  }
}

type Place = NonNullable<ReturnType<Klaus['lock']>>;

/** There is one server of a state folder; the kernel knows whether it lives. @throws KlausError `store.busy`. */
function takePlace(klaus: Klaus): Place {
  const place = klaus.lock('server/klaus');
  if (place) return place;
  throw new KlausError('store.busy', 'klaus serve runs already for this state folder.', {
    hint: 'Use that one, or give this one a state folder of its own with KLAUS_HOME.',
  });
}

interface InPlace extends Required<ServerOptions> {
  secret: string | undefined;
  /** Where the server keeps what is its own. */
  folder: string;
  /** Held until the server is closed. */
  place: Place;
}

async function startInPlace({
  klaus,
  host,
  port,
  log,
  version,
  secret,
  folder,
  place,
}: InPlace): Promise<RunningServer> {
  const { configuration } = klaus;
  const tokenFile = secret === undefined ? join(folder, 'token') : null;
  const token = createToken(secret ?? readToken(tokenFile!));
  const tcp = createServer();
  const socketPath = join(folder, 'klaus.sock');
  const socket = socketPath.length <= MAX_SOCKET_PATH ? createServer() : undefined;
  if (socket) await listenLocally(socket, socketPath);
  try {
    await listen(tcp, { host, port });
  } catch (error) {
    socket?.close();
    throw error;
  }
  const address = tcp.address() as { port: number };
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;

  const context = createContext({ klaus, log, token, version, cookie: `klaus-${address.port}` });
  const { queue, hubs, live, deletions, feed } = context;
  const doorkeeper = createRequestGuard({
    host,
    corsOrigins: configuration.get('server.corsOrigin'),
    trustProxy: configuration.get('server.trustProxy'),
    authenticate: byToken(token),
    cookie: context.cookie,
  });
  const app = createApp({ context, doorkeeper, files: createStaticFiles() });
  const sockets = createSockets(context, doorkeeper);
  const metrics = await openMetrics(context, sockets);
  if (configuration.get('server.logLevel') === 'debug') context.queue.onEvent(createEventLog(context.log));
  context.metrics = metrics;
  const stopCounting = metrics && klaus.onSandboxStart((start) => metrics.countStart(start));
  const servers = [tcp, ...(socket ? [socket] : [])];
  for (const server of servers) connectRequests(server, { app, sockets, log });
  const webhook = openWebhook(context);
  const stopMinding = klaus.store.view.onUnreadable((session, error) => hubs.fail(session, error));
  const takenOver = queue.takeOver();

  const close = async (): Promise<void> => {
    const ended = Promise.all(servers.map(closeServer));
    await queue.stop(toShutdownTimes(configuration.get('server.shutdownTimeoutMs')).steps);
    await deletions.close();
    const bye = { reason: 'The server is going down.', retryMs: COME_AGAIN_MS };
    hubs.end(bye);
    feed.end(bye);
    await sockets.close();
    live.close();
    await webhook?.close();
    stopCounting?.();
    stopMinding();
    metrics?.close();
    for (const server of servers) server.closeIdleConnections();
    const timer = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), CUT_MS);
    await ended;
    clearTimeout(timer);
    if (socket) rmSync(`${socketPath}.json`, { force: true });
    place.release();
  };
  let closing: Promise<void> | undefined;
  if (socket) writeFileSync(`${socketPath}.json`, JSON.stringify({ url, pid: process.pid }), { mode: 0o600 });
  return {
    url,
    socket: socket ? socketPath : null,
    tokenFile,
    token: token.text,
    takenOver,
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    close: () => (closing ??= close()),
  };
}

/** Puts together what handlers work with. Cookies know no ports: the name keeps two servers of one machine apart. */
function createContext({
  klaus,
  log,
  ...given
}: Pick<Context, 'klaus' | 'log' | 'token' | 'version' | 'cookie'>): Context {
  const limit = klaus.configuration.get('server.maxConcurrent');
  const queue = new RunQueue({ klaus, limit, folder: join(klaus.home, 'server', 'runs'), log });
  const live = new InFlightText({ klaus, queue });
  const hubs = new Hubs({ klaus, queue, live, log });
  const deletions = new Deletions({
    klaus,
    onChange(session, state) {
      if (state === 'gone') {
        queue.remove(session);
        hubs.gone(session);
      }
      feed.changed(session);
    },
  });
  const feed = new HostFeed({ klaus, queue, deletedUntil: (session) => deletions.until(session) });
  const { configuration } = klaus;
  const places = createPlaces({
    listed: configuration.get('server.workspaces'),
    configured: resolve(configuration.get('workspace')),
    known: () => knownWorkspaces(klaus),
    klausHome: klaus.home,
  });
  const context = { ...given, klaus, log, places, queue, hubs, live, feed, deletions, metrics: undefined };
  return { ...context, maxBodyBytes: MAX_BODY_BYTES };
}

/** Undefined where they are switched off: then nothing is loaded for them either. */
async function openMetrics({ klaus, queue, hubs, feed }: Context, sockets: Sockets): Promise<Metrics | undefined> {
  if (!klaus.configuration.get('server.metrics')) return undefined;
  const { createMetrics } = await import('./observability/metrics.ts');
  const metrics = createMetrics({
    running: () => queue.running.length,
    queued: () => queue.queued.length,
    approvals: () => klaus.store.view.approvals({ open: true }).length,
    subscribers: () => ({ ...hubs.subscribers, list: feed.subscribers, ...sockets.clients() }),
  });
  queue.onEvent((event) => metrics.count(event));
  return metrics;
}

function openWebhook({ klaus, queue, log }: Context): Webhook | undefined {
  const { configuration } = klaus;
  const url = configuration.get('server.webhookUrl');
  if (url === undefined) return undefined;
  const secret = configuration.get('server.webhookSecret');
  return createWebhook({
    klaus,
    url,
    secret,
    retryMs: configuration.get('retry.baseMs'),
    giveUpMs: configuration.get('server.webhookGiveUpMs'),
    isOurs: (session) => queue.isRunning(session),
    log,
  });
}

interface Doors {
  app: ReturnType<typeof createApp>;
  sockets: Sockets;
  log: Log;
}

function connectRequests(server: Server, { app, sockets, log }: Doors): void {
  const listener = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    followRequest(request, response, log);
    if (!sockets.handleRequest(request, response)) void listener(request, response);
  });
  server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) =>
    sockets.handleUpgrade(request, connection, head),
  );
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        const hint = `klaus serve --port 0 takes a free one; another program listens on ${port}.`;
        reject(new KlausError('usage', `Port ${port} is in use.`, { hint, cause: error }));
      } else
        reject(
          new KlausError('usage', `The server cannot listen on ${host}:${port}: ${error.message}.`, { cause: error }),
        );
    });
    server.listen({ host, port }, () => resolve());
  });
}

/** Listens on the socket of the state folder. What is there was left behind by a server that was killed. */
async function listenLocally(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  server.on('connection', (connection) => markLocal(connection));
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => resolve());
    });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
}
