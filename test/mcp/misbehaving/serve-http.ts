import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { toAnswer, type BadServer, type Message } from './bad-server.ts';

/** Runs a server of this folder over HTTP. */
export async function serveHttp(bad: BadServer) {
  const counts = new Map<string, number>();
  const count = (method: string): number => {
    const before = counts.get(method) ?? 0;
    counts.set(method, before + 1);
    return before;
  };
  let stream: ServerResponse | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message = request.method === 'POST' ? (JSON.parse(await text(request)) as Message) : undefined;
    const starts = counts.get('initialize') ?? 0;
    const seen = count(message?.method ?? request.method!);
    if (bad.onHttp?.({ message, request, response, starts, seen, stream })) return;
    if (!message && bad.over === 'sse') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void stream.write('event: endpoint\ndata: /mcp?session=1\n\n');
    }
    if (!message) return void response.writeHead(405).end();
    const usual = toAnswer(bad, message);
    if (stream && usual) stream.write(`event: message\ndata: ${JSON.stringify(usual)}\n\n`);
    if (stream || !usual) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(usual));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    starts: () => counts.get('initialize') ?? 0,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
