import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { createServer, request, type IncomingMessage } from 'node:http';

/** What the sandbox needs of an engine. Everything else is refused, as by the socket proxies that people use. */
const ALLOWED = [
  /^(?:GET|HEAD) (?:\/v[\d.]+)?\/(?:_ping|version|info)$/,
  /^(?:GET|HEAD|POST|DELETE) (?:\/v[\d.]+)?\/containers\//,
  /^(?:GET|POST) (?:\/v[\d.]+)?\/exec\//,
  /^GET (?:\/v[\d.]+)?\/images\/.+\/json$/,
];

export interface SocketProxy extends AsyncDisposable {
  /** Refused requests, such as `POST /v1.41/build`. */
  readonly refused: readonly string[];
}

/**
 * Passes allowed requests to an engine, also those that become plain connections.
 *
 * @param paths.engine Socket of the engine.
 * @param paths.socket The socket to create. Every user can connect to it.
 */
export async function startSocketProxy(paths: { engine: string; socket: string }): Promise<SocketProxy> {
  const refused: string[] = [];
  const isAllowed = ({ method, url = '' }: IncomingMessage): boolean => {
    const line = `${method} ${url.split('?')[0]}`;
    if (ALLOWED.some((pattern) => pattern.test(line))) return true;
    refused.push(line);
    return false;
  };
  const toEngine = ({ method, url, headers }: IncomingMessage) =>
    request({ socketPath: paths.engine, path: url, headers, ...(method === undefined ? {} : { method }) });
  const server = createServer((incoming, outgoing) => {
    if (!isAllowed(incoming)) return void outgoing.writeHead(403).end('{"message":"refused"}');
    const forwarded = toEngine(incoming);
    forwarded.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.on('upgrade', (incoming, client, head) => {
    if (!isAllowed(incoming)) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const forwarded = toEngine(incoming);
    client.on('error', () => forwarded.destroy());
    forwarded.on('error', () => client.destroy());
    forwarded.on('upgrade', (answer, engine, first) => {
      const headers = answer.rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
      client.write(`HTTP/1.1 101 UPGRADED\r\n${headers}\r\n`);
      client.write(first);
      engine.on('error', () => client.destroy());
      client.on('close', () => engine.destroy());
      engine.pipe(client);
      client.pipe(engine);
    });
    forwarded.on('response', (answer) => {
      client.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nconnection: close\r\n\r\n`);
      answer.pipe(client);
    });
    // The parser leaves the body of such a request to its listener.
    client.unshift(head);
    const length = Number(incoming.headers['content-length'] ?? 0);
    void readBytes(client, length).then((body) => forwarded.end(body));
  });
  await once(server.listen(paths.socket), 'listening');
  chmodSync(paths.socket, 0o666);
  return {
    refused,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readBytes(stream: Duplex, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: unknown = length === 0 ? Buffer.alloc(0) : stream.read(length);
    if (Buffer.isBuffer(bytes)) return bytes;
    await once(stream, 'readable');
  }
}
