import { headOf } from '@klaus/core/cut-text';
import { once } from 'node:events';
import { request as sendPlain, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, pipeline, type Duplex } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { WebClient, WebRequest, WebResponse } from '@klaus/core/agent';
import { findRule, parseAuthority, type HostRule } from '@klaus/core/policy';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import { openConnection, type UpstreamOptions } from './upstream.ts';

export interface WebClientOptions extends Partial<UpstreamOptions> {
  /** The hosts that it may reach. */
  rules: readonly HostRule[];
  /** Trusted certificates as PEM, instead of those of Node. */
  ca?: string;
}

const MAX_BYTES = 10_000_000;
const TIMEOUT_MS = 60_000;

/** A web client that connects only to the given hosts, at addresses that were checked. See `toAllowedAddresses`. */
export function createWebClient({ rules, ca, ...given }: WebClientOptions): WebClient {
  const upstream = { ...given, env: given.env ?? process.env };
  return {
    async send(request) {
      const { signal } = request;
      const deadline = AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS);
      const stop = signal ? AbortSignal.any([signal, deadline]) : deadline;
      const target = findTarget(request.url, rules);
      let socket: Socket | undefined;
      const destroy = (): void => void socket?.destroy();
      stop.addEventListener('abort', destroy);
      try {
        stop.throwIfAborted();
        socket = await openConnection(target, upstream);
        stop.throwIfAborted();
        return await exchange({ request, target, socket, stop, ca });
      } catch (cause) {
        if (signal?.aborted) throw new KlausError('cancelled', 'Cancelled while it waited for a response.', { cause });
        if (isKlausError(cause)) throw cause;
        const reason = deadline.aborted ? 'no complete response in time' : toReason(cause);
        throw new KlausError('tool.failed', `${target.host}: ${reason}.`, { cause });
      } finally {
        stop.removeEventListener('abort', destroy);
        destroy();
      }
    },
  };
}

interface WebTarget {
  url: URL;
  host: string;
  port: number;
  rule: HostRule;
}

/** @throws KlausError `tool.input` for an invalid URL, `denied` for a host without a rule. */
function findTarget(text: string, rules: readonly HostRule[]): WebTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  const given = isWeb ? parseAuthority(url.host) : undefined;
  if (!url || !given) {
    throw new KlausError(
      'tool.input',
      `${JSON.stringify(headOf(text, 200))} is not a URL of http or https without a password.`,
    );
  }
  const { host, port = url.protocol === 'https:' ? 443 : 80 } = given;
  const rule = findRule(rules, { host, port });
  if (!rule) throw new KlausError('denied', `The call may not reach ${host}:${port}.`);
  return { url, host, port, rule };
}

interface Exchange {
  request: WebRequest;
  target: WebTarget;
  socket: Socket;
  stop: AbortSignal;
  ca: string | undefined;
}

async function exchange({ request, target, socket, stop, ca }: Exchange): Promise<WebResponse> {
  const { url, host } = target;
  const { connect } = url.protocol === 'https:' ? await import('node:tls') : {};
  const connection: Duplex = connect ? connect({ socket, servername: host.includes(':') ? '' : host, ca }) : socket;
  if (connect) await once(connection, 'secureConnect', { signal: stop });
  const sent: ClientRequest = sendPlain({
    createConnection: () => connection,
    method: request.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    headers: { 'accept-encoding': 'gzip, deflate, br', ...request.headers, host: url.host, connection: 'close' },
    setHost: false,
    signal: stop,
  });
  sent.end(request.body);
  const [response] = (await once(sent, 'response', { signal: stop })) as [IncomingMessage];
  const { body, isTruncated } = await readBody(response, { max: request.maxBytes ?? MAX_BYTES, stop });
  return { status: response.statusCode ?? 0, headers: toHeaders(response), body, isTruncated };
}

async function readBody(
  response: IncomingMessage,
  { max, stop }: { max: number; stop: AbortSignal },
): Promise<{ body: Uint8Array; isTruncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const decoded = pipeline(response, toDecoder(response.headers['content-encoding']), () => {});
  for await (const chunk of decoded as AsyncIterable<Buffer>) {
    stop.throwIfAborted();
    chunks.push(chunk.subarray(0, max - size));
    size += chunk.length;
    if (size > max) break;
  }
  stop.throwIfAborted();
  return { body: Buffer.concat(chunks), isTruncated: size > max };
}

function toDecoder(encoding: string | undefined): Duplex {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip();
    case 'br':
      return createBrotliDecompress();
    default:
      return new PassThrough();
  }
}

function toHeaders(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}

function toReason(cause: unknown): string {
  return cause instanceof Error && cause.message !== '' ? cause.message.replace(/\.$/, '') : 'the connection failed';
}
