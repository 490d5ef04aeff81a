import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { protectPort } from '@klaus/sdk';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  type McpServerFactory,
} from '@modelcontextprotocol/server';

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
}

export interface HttpOptions {
  /** 0: a free one. */
  port: number;
  /** Every request needs it as a bearer token. */
  token: string;
  onError: (error: Error) => void;
}

const PATH = '/mcp';

/** Serves streamable HTTP on the loopback address. Host, origin and token are checked before anything is read. */
export async function serveHttp(factory: McpServerFactory, { port, token, onError }: HttpOptions): Promise<HttpServer> {
  const handler = createMcpHandler(factory, { onerror: onError });
  const fetch = async (request: Request): Promise<Response> =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    refuseToken(request, token) ??
    (new URL(request.url).pathname === PATH ? handler.fetch(request) : new Response('Not found', { status: 404 }));
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  const http = createHttpServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    protectPort(http).listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${PATH}`,
    async [Symbol.asyncDispose]() {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function refuseToken(request: Request, token: string): Response | undefined {
  const [, given = ''] = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  const [a, b] = [given, token].map((text) => createHash('sha256').update(text).digest());
  if (timingSafeEqual(a!, b!)) return undefined;
  return new Response('A bearer token is required.', { status: 401, headers: { 'www-authenticate': 'Bearer' } });
}
