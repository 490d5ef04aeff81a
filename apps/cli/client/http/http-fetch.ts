import { Agent, type IncomingMessage, request as requestPlain } from 'node:http';
import { Agent as TlsAgent, request as requestTls } from 'node:https';
import { Readable } from 'node:stream';
import { type Client, createClient } from '@klaus/server/client';

/** Milliseconds without a connection after which an address is unreachable. */
const CONNECT_MS = 10_000;

/**
 * The part of `fetch` that the client of the server needs, over TCP, TLS or a Unix socket. Node's `fetch` does not
 * support sockets. Redirects are not followed, because they would send the token to another host.
 *
 * @param socketPath Absolute path of a Unix socket, instead of the host of the address.
 */
export function createFetch(socketPath?: string): typeof globalThis.fetch {
  const agents = { plain: new Agent({ keepAlive: true }), tls: new TlsAgent({ keepAlive: true }) };
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const isTls = url.protocol === 'https:';
      const options = {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.signal ? { signal: init.signal } : {}),
        socketPath,
      };
      const request = isTls
        ? requestTls(url, { ...options, agent: agents.tls })
        : requestPlain(url, { ...options, agent: agents.plain });
      request.on('socket', (socket) => {
        if (!socket.connecting) return;
        const late = (): void => void request.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }));
        const timer = setTimeout(late, CONNECT_MS);
        socket.once(isTls ? 'secureConnect' : 'connect', () => clearTimeout(timer));
        socket.once('close', () => clearTimeout(timer));
      });
      request.on('error', reject);
      request.on('response', (message) => resolve(toResponse(message)));
      request.end(typeof init.body === 'string' ? init.body : undefined);
    });
}

function toResponse(message: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) headers.append(name, each);
  }
  const status = message.statusCode ?? 0;
  const isEmpty = status === 204 || status === 304;
  if (isEmpty) message.resume();
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>);
  return new Response(body, { status, headers });
}

let cached: { socketPath: string; client: Client } | undefined;

/** A client of the server of a state folder, by its Unix socket. The same socket gets the same client. */
export function toSocketClient(socketPath: string): Client {
  if (cached?.socketPath !== socketPath)
    cached = { socketPath, client: createClient({ baseUrl: 'http://localhost', fetch: createFetch(socketPath) }) };
  return cached.client;
}
