import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Model, ModelEvent, ModelRequest } from '@klaus/core/agent';
import type { Certificate } from '../network/certificate.ts';

/** One request that a server of the tests got. */
export interface SeenRequest {
  url: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

export interface TestModelServer extends Disposable {
  port: number;
  seen: SeenRequest[];
}

const CHAT = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** A chat-completions server that answers `ok`. @param options.refuse Answers in its place; true if it did. */
export async function startChatServer({
  refuse,
  certificate,
}: {
  refuse?: (request: SeenRequest, response: ServerResponse) => boolean;
  certificate?: Certificate;
} = {}): Promise<TestModelServer> {
  const seen: SeenRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    const one = { url: request.url ?? '', headers: request.headers, body };
    seen.push(one);
    if (refuse?.(one, response)) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(CHAT);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => void answer(request, response);
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Sends one small request. @returns The last event. */
export async function ask(model: Model): Promise<ModelEvent> {
  const events: ModelEvent[] = [];
  const request: ModelRequest = {
    ...{ system: 's', tools: [], maxOutputTokens: 5, session: 'S' },
    messages: [{ id: 'M1', role: 'user', origin: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  };
  for await (const event of model.stream(request, { signal: new AbortController().signal })) events.push(event);
  return events.at(-1)!;
}
