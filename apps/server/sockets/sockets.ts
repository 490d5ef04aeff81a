import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import type { RequestGuard } from '../access/request-guard.ts';
import type { Context } from '../http/handler.ts';
import { Refusal, toProblem } from '../http/problem.ts';
import { recordError, requestIdOf, toPath } from '../observability/request-log.ts';
import { SECURITY_HEADERS } from '../http/security-headers.ts';
import { serveChat, toAgent } from './chat.ts';
import { keepAlive } from './keep-alive.ts';
import type { Identities } from './socket-io.ts';

const MAX_MESSAGE_BYTES = 1_024 * 1_024;
const SOCKET_IO = '/socket.io/';

export type Sockets = ReturnType<typeof createSockets>;

/**
 * Socket.IO, and the chat over plain WebSockets. The request guard checks every connection. The modules are loaded on the
 * first one: most clients use none.
 */
export function createSockets(context: Context, guard: RequestGuard) {
  let opened: ReturnType<typeof createEngine> | undefined;
  let chats: Promise<WebSocketServer> | undefined;
  const openEngine = (): ReturnType<typeof createEngine> =>
    (opened ??= createEngine(context, { guard, identities }).then((it) => {
      connected.socketIo = () => it.engine.clientsCount;
      return it;
    }));
  const openChats = (): Promise<WebSocketServer> =>
    (chats ??= import('ws').then(({ WebSocketServer: Chats }) => {
      const server = new Chats({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
      connected.chat = () => server.clients.size;
      return server;
    }));
  const connected = { socketIo: (): number => 0, chat: (): number => 0 };
  const identities: Identities = new WeakMap();
  /** Checks a connection of Socket.IO. A page of another allowed origin may send its token later, as `auth.token`. */
  const checkSocketIo = async (request: IncomingMessage): Promise<void> => {
    guard.checkOrigin(request);
    const isForeign = guard.foreignOrigin(request) !== undefined && request.headers.authorization === undefined;
    const identity = await (isForeign ? guard.identify(request) : guard.checkAccess(request, 'viewer'));
    if (identity) identities.set(request, identity);
  };
  const refuseUpgrade = (request: IncomingMessage, socket: Duplex, error: unknown): void => {
    const { status, code } = toProblem(error);
    const fields = { request: requestIdOf(request), path: toPath(request), status, code };
    context.log.warn('an upgrade was refused', fields);
    refuse(socket, status, headersOf(error));
  };
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === SOCKET_IO) {
      await checkSocketIo(request);
      const { engine } = await openEngine();
      engine.handleUpgrade(request as Parameters<typeof engine.handleUpgrade>[0], socket, head);
      return;
    }
    guard.checkOrigin(request);
    const isChat = toAgent(path) !== undefined;
    // A chat writes: it stores which answers its client has seen.
    const identity = await guard.checkAccess(request, isChat ? 'operator' : 'viewer');
    if (!isChat) return refuse(socket, 404);
    const server = await openChats();
    server.handleUpgrade(request, socket, head, (chat) => {
      keepAlive(chat);
      serveChat(context, chat, { request, identity });
    });
  };

  return {
    /** Answers a request of Socket.IO. False for other requests. */
    handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
      if (!request.url?.startsWith(SOCKET_IO)) return false;
      void checkSocketIo(request)
        .then(openEngine)
        .then(
          ({ engine }) => engine.handleRequest(request as Parameters<typeof engine.handleRequest>[0], response),
          (error: unknown) => {
            const problem = toProblem(error);
            const headers = { ...SECURITY_HEADERS, ...headersOf(error), 'content-type': 'application/problem+json' };
            response.writeHead(problem.status, headers);
            recordError(request, error);
            response.end(JSON.stringify({ ...problem, requestId: requestIdOf(request) }));
          },
        );
      return true;
    },
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      // The client may disconnect during the check. There is no other listener for the error yet.
      socket.on('error', () => socket.destroy());
      void upgrade(request, socket, head).catch((error: unknown) => refuseUpgrade(request, socket, error));
    },
    clients: (): { socketIo: number; chat: number } => ({ socketIo: connected.socketIo(), chat: connected.chat() }),
    async close(): Promise<void> {
      const [engine, server] = await Promise.all([opened, chats]);
      for (const chat of server?.clients ?? []) chat.close(1012, 'The server is shutting down.');
      engine?.close();
    },
  };
}

async function createEngine(context: Context, { guard, identities }: { guard: RequestGuard; identities: Identities }) {
  const [{ Server }, { createSocketIo }] = await Promise.all([import('engine.io'), import('./socket-io.ts')]);
  const origins = guard.corsOrigins;
  const engine = new Server({
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    ...(origins.length > 0 ? { cors: { origin: [...origins], credentials: true } } : {}),
  });
  const io = createSocketIo(context, { engine, guard, identities });
  return {
    engine,
    close() {
      io.disconnectSockets(true);
      engine.close();
    },
  };
}

function headersOf(error: unknown): Readonly<Record<string, string>> {
  return error instanceof Refusal ? error.headers : {};
}

function refuse(socket: Duplex, status: number, headers: Readonly<Record<string, string>> = {}): void {
  const fields = { ...headers, Connection: 'close', 'Content-Length': '0' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
}
