import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { protectPort } from '@klaus/sdk';
import { CliError } from '../program/cli-error.ts';
import type { WorkerHealth } from './worker-status.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

export interface HealthServer {
  /** Such as `http://127.0.0.1:9464`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface HealthServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  read: () => Promise<WorkerHealth>;
  /** Undefined: `/metrics` does not exist. */
  metrics: Pick<WorkerMetrics, 'mediaType' | 'toText'> | undefined;
}

/**
 * Serves `GET /health` and `GET /metrics`, which contain no content of sessions and need no token.
 *
 * @throws CliError `usage` for a port that is in use, or an address that the machine does not have.
 */
export async function startHealthServer({ host, port, read, metrics }: HealthServerOptions): Promise<HealthServer> {
  const answer = async (method: string, path: string): Promise<Answer> => {
    if (path !== '/health' && (path !== '/metrics' || !metrics)) return toText(404, 'not found');
    if (method !== 'GET' && method !== 'HEAD') return toText(405, 'method not allowed');
    if (path === '/metrics') return { status: 200, type: metrics!.mediaType, body: await metrics!.toText() };
    const health = await read();
    const status = health.state === 'ready' ? 200 : 503;
    return { status, type: 'application/json', body: JSON.stringify(health) };
  };
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    answer(request.method ?? '', path).then(
      (found) => send(response, found),
      () => send(response, toText(500, 'failed')),
    );
  });
  protectPort(server).listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const hint = 'Use another `--health-port`, such as 0 for any free port.';
    if (code === 'EADDRINUSE') throw new CliError('usage', `Port ${port} is in use.`, { hint, cause });
    throw new CliError('usage', `The worker cannot listen on ${host}:${port}: ${message}.`, { cause });
  }
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function toText(status: number, text: string): Answer {
  return { status, type: 'text/plain', body: `${text}\n` };
}

interface Answer {
  status: number;
  type: string;
  body: string;
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  if (response.headersSent) return;
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
