import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { KlausError, type Klaus } from '@klaus/sdk';
import type { ServerDescriptor } from './contract/index.ts';
import { toProxyTrust } from './access/proxy-trust.ts';
import { createRequestGuard, isLoopback } from './access/request-guard.ts';
import { openEndedSignIns } from './access/sign-in/ended-sign-ins.ts';
import { openSignIn } from './access/sign-in/open-sign-in.ts';
import { createToken, readToken } from './access/token.ts';
import { createContext, openMetrics, openWebhook } from './create-context.ts';
import { createApp } from './http/app.ts';
import { redirectToPage, removeBasePath, toBasePath } from './http/base-path.ts';
import type { JudgeHook, PrepareDemo } from './http/handler.ts';
import { createStaticFiles } from './http/static-files.ts';
import { closeServer, listen, listenLocally, removeLeftover } from './listen.ts';
import { createEventLog } from './observability/event-log.ts';
import type { Log } from './observability/log.ts';
import { logRequest } from './observability/request-log.ts';
import type { ServedCluster } from './runs/cluster-queue.ts';
import { watchIdle } from './runs/idle-watch.ts';
import { toShutdownTimes } from './runs/shutdown-times.ts';
import { createSockets, type Sockets } from './sockets/sockets.ts';

/** Milliseconds after which a client reconnects when the server shuts down. */
const RECONNECT_MS = 1_000;
/** Milliseconds after which connections that are still open at shutdown are closed. */
const CLOSE_CONNECTIONS_MS = 250;
/** Longest path of a Unix socket on Linux, in characters. Source: unix(7). */
const MAX_SOCKET_PATH = 107;

export interface ServerOptions {
  klaus: Klaus;
  /** Its workers run the sessions. Default: the server runs them. */
  cluster?: ServedCluster;
  /** Address to listen on. Default `127.0.0.1`. */
  host?: string;
  /** Default 3001; 0 selects a free port. */
  port?: number;
  log: Log;
  version: string;
  /** True if the command line started it in the background. Default false. */
  isDaemon?: boolean;
  /** Default: hooks are refused. */
  hooks?: JudgeHook;
  /** Default: there is no demo. */
  prepareDemo?: PrepareDemo;
}

/** `server.idleExitMs` of a daemon, by default. */
const DAEMON_IDLE_MS = 600_000;

export interface RunningServer {
  /** Such as `http://127.0.0.1:3001`, with the base path of the setting. */
  readonly url: string;
  /** Path of the Unix socket; null when it would be too long. */
  readonly socket: string | null;
  /** Absolute path; null when the token is AGENT_API_SECRET. */
  readonly tokenFile: string | null;
  readonly token: string;
  /** True if a browser signs in with the token. */
  readonly isTokenForBrowsers: boolean;
  readonly routes: readonly { method: string; path: string }[];
  /** Sessions of an earlier server whose runs continue here. */
  readonly resumed: readonly string[];
  /** Resolves when it has been without work and clients for `server.idleExitMs`. */
  readonly idle: Promise<void>;
  /** Stops each run after its current step, ends the streams, and closes. Does not close Klaus. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves an engine over HTTP, on an address of this machine and on a Unix socket of this user.
 *
 * @throws KlausError `config` for an address that other machines reach without AGENT_API_SECRET, or for a sign-in
 *   without its settings, `usage` for a port
 *   that is in use, `store.busy` when another server runs for the same state folder.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { klaus, host = '127.0.0.1', port = 3001, log, version, isDaemon = false, hooks, prepareDemo } = options;
  const { configuration } = klaus;
  const secret = configuration.get('server.secret');
  if (!isLoopback(host) && secret === undefined) {
    throw new KlausError('config', `${host} can be reached from other machines, and no secret is set.`, {
      hint: 'Set AGENT_API_SECRET, or leave out `--host` and use `ssh -L 3001:127.0.0.1:3001` from the other machine.',
    });
  }
  const basePath = toBasePath(configuration);
  const folder = join(klaus.home, 'server');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  /** Undoes a start that fails. */
  using undo = new DisposableStack();
  const tokenFile = secret === undefined ? join(folder, 'token') : null;
  const socketPath = join(folder, 'klaus.sock');
  const lock = undo.adopt(acquireLock(klaus, { socketPath, tokenFile }), (held) => held.release());
  const token = createToken(secret ?? readToken(tokenFile!));
  const tcp = createServer();
  const socket = socketPath.length <= MAX_SOCKET_PATH ? createServer() : undefined;
  // That of a server that was killed.
  removeLeftover(`${socketPath}.json`);
  if (socket) {
    await listenLocally(socket, socketPath);
    undo.defer(() => void socket.close());
  }
  await listen(tcp, { host, port });
  undo.defer(() => void tcp.close());
  const address = tcp.address() as { port: number };
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}${basePath}`;

  const proxies = toProxyTrust(configuration.get('server.trustProxy'));
  const signIn = await openSignIn({
    ...{ configuration, token, proxies, log },
    // Cookies have no port: the name separates two servers of one machine.
    cookie: `klaus-${address.port}`,
    ended: openEndedSignIns(join(folder, 'ended-sign-ins')),
  });
  const context = createContext({
    ...{ klaus, log, signIn, version, hooks, prepareDemo, basePath },
    cluster: options.cluster,
  });
  const { queue, hubs, live, deletions, clones, feed, mcp } = context;
  const guard = createRequestGuard({
    host,
    corsOrigins: configuration.get('server.corsOrigin'),
    ...{ proxies, token, signIn },
  });
  const app = createApp({ context, guard, files: createStaticFiles() });
  const sockets = createSockets(context, guard);
  const metrics = await openMetrics(context, sockets);
  if (configuration.get('server.logLevel') === 'debug') queue.onEvent(createEventLog(log));
  context.metrics = metrics;
  const stopCounting = metrics && klaus.onSandboxStart((start) => metrics.countStart(start));
  const servers = [tcp, ...(socket ? [socket] : [])];
  for (const server of servers) connectRequests(server, { app, sockets, log, basePath });
  const watch = watchIdle({
    servers,
    idleMs: configuration.get('server.idleExitMs') ?? (isDaemon ? DAEMON_IDLE_MS : 0),
    isBusy: () => queue.isBusy,
    // Background processes that are not marked to survive end with the server.
    isNeeded: () => klaus.processes().some(({ state, survives }) => state === 'running' && !survives),
  });
  const webhook = openWebhook(context);
  const stopWatching = klaus.store.view.onUnreadable((session, error) => hubs.endUnreadable(session, error));
  const resumed = await queue.resumeEarlier();

  const close = async (): Promise<void> => {
    watch.stop();
    const ended = Promise.all(servers.map(closeServer));
    await queue.stop(toShutdownTimes(configuration.get('server.shutdownTimeoutMs')).steps);
    await deletions.close();
    await clones.close();
    await mcp.close();
    const bye = { reason: 'The server is shutting down.', retryMs: RECONNECT_MS };
    hubs.end(bye);
    feed.end(bye);
    await sockets.close();
    live.close();
    await webhook?.close();
    stopCounting?.();
    stopWatching();
    metrics?.close();
    for (const server of servers) server.closeIdleConnections();
    const timer = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), CLOSE_CONNECTIONS_MS);
    await ended;
    clearTimeout(timer);
    if (socket) rmSync(`${socketPath}.json`, { force: true });
    lock.release();
  };
  let closing: Promise<void> | undefined;
  const descriptor: ServerDescriptor = { url, pid: process.pid, version, isDaemon };
  if (socket) writeFileSync(`${socketPath}.json`, JSON.stringify(descriptor), { mode: 0o600 });
  undo.move();
  return {
    url,
    socket: socket ? socketPath : null,
    tokenFile,
    token: token.text,
    isTokenForBrowsers: signIn.exchange !== undefined,
    resumed,
    idle: watch.idle,
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    close: () => (closing ??= close()),
  };
}

interface LockOptions {
  socketPath: string;
  tokenFile: string | null;
}

/** A state folder has at most one server, with a lock that ends with its process. @throws KlausError `store.busy`. */
function acquireLock(klaus: Klaus, { socketPath, tokenFile }: LockOptions) {
  const lock = klaus.lock('server/klaus');
  if (lock) return lock;
  const url = readAddress(`${socketPath}.json`);
  const token = tokenFile === null ? '' : ` Its token is in ${tokenFile}.`;
  const hint = url === undefined ? 'Use that server' : `Open ${url}.${token} Stop that server to start another one`;
  throw new KlausError('store.busy', 'klaus serve runs already for this state folder.', {
    hint: `${hint}, or set KLAUS_HOME to another state folder.`,
  });
}

/** Undefined if the server with the lock has not written its descriptor yet. */
function readAddress(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as ServerDescriptor).url;
  } catch {
    return undefined;
  }
}

interface RequestHandlers {
  app: ReturnType<typeof createApp>;
  sockets: Sockets;
  log: Log;
  basePath: string;
}

function connectRequests(server: Server, { app, sockets, log, basePath }: RequestHandlers): void {
  const listener = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    logRequest(request, response, log);
    if (redirectToPage(request, response, basePath)) return;
    removeBasePath(request, basePath);
    if (!sockets.handleRequest(request, response)) void listener(request, response);
  });
  server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    removeBasePath(request, basePath);
    sockets.handleUpgrade(request, connection, head);
  });
}
