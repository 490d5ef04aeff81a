import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface ServiceRequest {
  method: string;
  /** Without the query, not decoded. */
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Path and query as they were sent. */
  url: string;
}

export interface ServiceAnswer {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: unknown;
}

/** The API of a vendor on this machine, as its documentation describes it. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ServiceRequest[];
  /**
   * Answers the next requests for which `choose` returns an answer, instead of the service. `disconnect` closes the
   * connection, `lost` after the request took effect.
   */
  disturb(choose: (request: ServiceRequest, count: number) => ServiceAnswer | 'disconnect' | 'lost' | undefined): void;
  /** Kills a process at a request, counted from 1 from now on: before or after it took effect. */
  killAt(count: number, moment: 'before' | 'after', pid: () => number | undefined): void;
}

/** Starts a service. @param answer Performs a request. */
export async function startService(answer: (request: ServiceRequest) => ServiceAnswer): Promise<Service> {
  const requests: ServiceRequest[] = [];
  let disturb: Parameters<Service['disturb']>[0] = () => undefined;
  let kill: { at: number; moment: 'before' | 'after'; pid: () => number | undefined } | undefined;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const url = incoming.url ?? '';
      const [path = '', query] = url.split('?');
      const request: ServiceRequest = {
        ...{ method: incoming.method ?? '', path, url, body: Buffer.concat(chunks) },
        query: new URLSearchParams(query),
        headers: incoming.headers as Record<string, string>,
      };
      requests.push(request);
      const isLast = kill?.at === requests.length;
      const disturbed = disturb(request, requests.length);
      if (disturbed === 'lost') answer(request);
      if (disturbed === 'disconnect' || disturbed === 'lost') return void incoming.socket.destroy();
      const {
        status,
        headers = {},
        body,
      } = isLast && kill?.moment === 'before' ? { status: 500 } : (disturbed ?? answer(request));
      if (isLast) {
        process.kill(kill!.pid()!, 'SIGKILL');
        return void incoming.socket.destroy();
      }
      const isRaw = body === undefined || typeof body === 'string';
      response.writeHead(status, { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers });
      response.end(isRaw ? body : JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    disturb: (choose) => void (disturb = choose),
    killAt: (count, moment, pid) => void (kill = { at: requests.length + count, moment, pid }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
