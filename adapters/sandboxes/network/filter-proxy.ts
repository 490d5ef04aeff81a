import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { findRule, parseAuthority, type HeaderSecret, type HostRule } from '@klaus/core/policy';
import { messageOf } from '@klaus/core/protocol';
import { readTlsStart, TLS_PORT } from './tls-guard.ts';
import { openConnection, type Target, type UpstreamOptions } from './upstream.ts';
import { words } from '../words.ts';

export interface FilterProxyOptions extends UpstreamOptions {
  rules: readonly HostRule[];
  /** A host must be allowed by one of these too. Default: no further limit. */
  within?: readonly HostRule[];
  /** Credentials for the headers of plain requests. Default: none. */
  secrets?: readonly HeaderSecret[];
  /** Called with each refused host and port, as `host:port`. */
  onRefused: (authority: string) => void;
  /** Called with each host and port to which a connection was opened. */
  onReached?: (authority: string) => void;
}

const MAX_CONNECTIONS = 512;
const MAX_HEADER_BYTES = 16_384;
const IDLE_MS = 300_000;

/** Headers for one connection, which are not forwarded. @source RFC 9110, section 7.6.1 */
const HOP_HEADERS = words(`
  connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade
`);

/**
 * An HTTP proxy that allows only some hosts. It supports tunnels (`CONNECT`) and plain requests, and checks every request
 * of a connection. Of a tunnel to the
 * port of HTTPS it reads the server name, which must be that of the request; it inspects nothing else.
 */
export function createFilterProxy(options: FilterProxyOptions): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    void forward(request, response, options);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = IDLE_MS;
  server.on('connect', (request: IncomingMessage, near: Duplex, head: Buffer) => {
    void tunnel(request, { near, head }, options);
  });
  server.on('upgrade', (_, near) => near.destroy());
  server.on('clientError', (_, near) => near.destroy());
  return server;
}

/** The target of a request; undefined, after `onRefused`, for one that is not allowed. */
function findTarget(
  asked: { host: string; port: number } | undefined,
  { rules, within, onRefused }: FilterProxyOptions,
): Target | undefined {
  if (!asked) return undefined;
  const rule = findRule(rules, asked);
  if (rule && (within === undefined || findRule(within, asked))) return { ...asked, rule };
  onRefused(toAuthority(asked));
  return undefined;
}

function toAuthority({ host, port }: { host: string; port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function tunnel(
  request: IncomingMessage,
  { near, head }: { near: Duplex; head: Buffer },
  options: FilterProxyOptions,
): Promise<void> {
  // The client may close the connection at any time.
  near.on('error', () => near.destroy());
  const asked = parseAuthority(request.url ?? '');
  const target = findTarget(asked?.port === undefined ? undefined : { host: asked.host, port: asked.port }, options);
  if (!target) return void near.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  try {
    const far = await openConnection(target, options);
    options.onReached?.(toAuthority(target));
    far.setTimeout(IDLE_MS, () => far.destroy());
    if (near.destroyed) return void far.destroy();
    near.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const leave = (): void => void near.destroy();
    far.once('close', leave);
    const start = target.port === TLS_PORT ? await readTlsStart(near, head, target.host) : head;
    far.off('close', leave);
    if (!start) {
      // A client that closes before it sends anything was refused nothing.
      const isClosed = near.destroyed || near.readableEnded;
      if (!isClosed) options.onRefused(`${toAuthority(target)} (no TLS for this name)`);
      far.destroy();
      return void near.destroy();
    }
    if (start.length > 0) far.write(start);
    pipeline(near, far, () => {});
    pipeline(far, near, () => {});
  } catch (error) {
    near.end(
      `HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nX-Reason: ${toReason(error)}\r\nConnection: close\r\n\r\n`,
    );
  }
}

async function forward(request: IncomingMessage, response: ServerResponse, options: FilterProxyOptions): Promise<void> {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url!) : undefined;
  const isPlain = url?.protocol === 'http:' && url.username === '' && url.password === '';
  const asked = isPlain ? parseAuthority(url.host) : undefined;
  const target = findTarget(asked && { host: asked.host, port: asked.port ?? 80 }, options);
  if (!url || !target) return void response.writeHead(403).end();
  try {
    const far = await openConnection(target, options);
    options.onReached?.(toAuthority(target));
    const dropped = new Set([...HOP_HEADERS, 'host', ...toWords(request.headers.connection)]);
    const sent = send({
      createConnection: () => far,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...withSecrets(without(request.headers, dropped), target, options),
        host: url.host,
        connection: 'close',
      },
      setHost: false,
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => far.destroy());
    sent.on('response', (answer) => {
      const hidden = new Set([...HOP_HEADERS, ...toWords(answer.headers.connection)]);
      response.writeHead(answer.statusCode ?? 502, without(answer.headers, hidden));
      answer.pipe(response);
    });
    request.pipe(sent);
  } catch (error) {
    response.writeHead(502, { 'x-reason': toReason(error) }).end();
  }
}

function without(headers: IncomingMessage['headers'], names: ReadonlySet<string>): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name)));
}

/** The headers with the values of the credentials for this host in the place of their placeholders. */
function withSecrets(
  headers: IncomingMessage['headers'],
  { host }: Target,
  { secrets = [] }: FilterProxyOptions,
): IncomingMessage['headers'] {
  const own = secrets.filter((secret) => secret.host === host);
  if (own.length === 0) return headers;
  const replace = (text: string): string =>
    own.reduce((all, { placeholder, value }) => all.replaceAll(placeholder, () => value), text);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(replace) : value && replace(value),
    ]),
  );
}

function toWords(header: string | undefined): string[] {
  return (header ?? '').toLowerCase().split(/[\s,]+/);
}

/** The message of an error as a header value. */
function toReason(error: unknown): string {
  return messageOf(error)
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 200);
}
