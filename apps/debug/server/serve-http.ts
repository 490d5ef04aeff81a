import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  type McpServerFactory,
} from '@modelcontextprotocol/server';

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

const PATH = '/mcp';
/** Bytes of one request. */
const LARGEST = 1_000_000;

/** Serves streamable HTTP on the loopback address. Host, origin and token are checked before anything is read. */
export async function serveHttp(factory: McpServerFactory, token: string): Promise<HttpServer> {
  const handler = createMcpHandler(factory);
  const answer = async (request: Request): Promise<Response> =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    refuseToken(request, token) ??
    (new URL(request.url).pathname === PATH ? handler.fetch(request) : new Response('Not found', { status: 404 }));
  const http = createServer((request, response) => {
    // The client has gone, or the request is malformed: neither may end the program.
    respond(request, response, answer).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${PATH}`,
    async close() {
      await handler.close().catch(() => {});
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

interface Answer {
  (request: Request): Promise<Response>;
}

async function respond(incoming: IncomingMessage, outgoing: ServerResponse, answer: Answer): Promise<void> {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'invalid.invalid'}`);
  const method = incoming.method ?? 'GET';
  const body = method === 'GET' || method === 'HEAD' ? undefined : limit(incoming);
  const request = new Request(url, { method, headers, signal: gone.signal, ...(body ? { body, duplex: 'half' } : {}) });
  const response = await answer(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body) await pipeline(Readable.fromWeb(response.body as never), outgoing);
  else outgoing.end();
}

/** The body, which ends with an error behind {@link LARGEST} bytes. */
function limit(incoming: IncomingMessage): ReadableStream {
  let bytes = 0;
  const source = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = (await source.next()) as IteratorResult<Buffer>;
      if (done === true) return controller.close();
      bytes += value.length;
      if (bytes > LARGEST) return controller.error(new Error(`A request has at most ${LARGEST} bytes.`));
      controller.enqueue(new Uint8Array(value));
    },
  });
}

function refuseToken(request: Request, token: string): Response | undefined {
  const [, given = ''] = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  const [a, b] = [given, token].map((text) => createHash('sha256').update(text).digest());
  if (timingSafeEqual(a!, b!)) return undefined;
  return new Response('A bearer token is required.', { status: 401, headers: { 'www-authenticate': 'Bearer' } });
}
