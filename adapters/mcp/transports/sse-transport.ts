// oxlint-disable typescript/no-deprecated -- Servers of the older transport are still common.
import { KlausError } from '@klaus/core/protocol';
import { isJSONRPCRequest, SSEClientTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { ServerMessages } from '../messages/server-messages.ts';
import type { SessionLogin } from '../oauth.ts';
import type { HttpServer } from '../server-config.ts';
import { repairEvents } from './repair-answer.ts';
import { createServerFetch } from './server-fetch.ts';
import type { ServerTransport } from './server-transport.ts';

/** A connection over HTTP with one stream of events, as before streamable HTTP. It ends with the stream. */
export class SseTransport extends SSEClientTransport implements ServerTransport {
  readonly messages: ServerMessages;
  readonly ended: Promise<KlausError>;

  constructor(server: HttpServer, options: { name: string; login?: SessionLogin }) {
    const messages = new ServerMessages();
    const { promise, resolve } = Promise.withResolvers<KlausError>();
    const send = createServerFetch(server, options, (answer, { method = 'GET' }) => {
      if (method !== 'GET' || !answer.ok) return answer;
      return withEnd(repairEvents(answer, messages), () =>
        resolve(new KlausError('mcp.failed', `The MCP server ${options.name} ended the connection.`)),
      );
    });
    super(new URL(server.url), {
      requestInit: { headers: server.headers, redirect: 'error' },
      fetch: send,
      ...(options.login ? { authProvider: options.login.provider } : {}),
    });
    this.messages = messages;
    this.ended = promise;
    // It would connect again, to a session that no handshake has begun.
    void promise.then(() => this.close());
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    this.messages.send(message);
    try {
      await super.send(message);
    } catch (error) {
      if (isJSONRPCRequest(message)) this.messages.lose(message.id);
      throw error;
    }
  }
}

/** The same answer. @param onEnd Called when its body has ended or failed, and not when the client cancels it. */
function withEnd(answer: Response, onEnd: () => void): Response {
  if (!answer.body) return answer;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  answer.body.pipeTo(writable).then(onEnd, onEnd);
  const { status, statusText, headers } = answer;
  return new Response(readable, { status, statusText, headers });
}
