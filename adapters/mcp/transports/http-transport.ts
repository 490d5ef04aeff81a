import {
  isJSONRPCRequest,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { ServerMessages } from '../messages/server-messages.ts';
import type { SessionLogin } from '../oauth.ts';
import type { HttpServer } from '../server-config.ts';
import { repairAnswer, repairEvents } from './repair-answer.ts';
import { createServerFetch } from './server-fetch.ts';
import type { ServerTransport } from './server-transport.ts';

const RECONNECTION = {
  maxRetries: 2,
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 10_000,
  reconnectionDelayGrowFactor: 2,
};
/** A server whose streams end so often within this time, without a message, gets no further request for one. */
const RESUMPTIONS = { count: 4, ms: 10_000 };

/** A connection over streamable HTTP. A request whose stream ends without an answer, and cannot be resumed, fails. */
export class HttpTransport extends StreamableHTTPClientTransport implements ServerTransport {
  readonly messages: ServerMessages;

  constructor(server: HttpServer, options: { name: string; login?: SessionLogin }) {
    const messages = new ServerMessages();
    const opened: number[] = [];
    const send = createServerFetch(server, options, (answer, init) => {
      if (init.method === 'POST') return repairAnswer(answer, { messages, id: toId(init.body) });
      return init.method === 'GET' ? repairEvents(answer, messages, () => void opened.splice(0)) : answer;
    });
    super(new URL(server.url), {
      requestInit: { headers: server.headers, redirect: 'error' },
      fetch: async (target, init) => {
        if (init?.method === 'GET') {
          opened.push(performance.now());
          const before = opened.at(-1 - RESUMPTIONS.count);
          if (before !== undefined && opened.at(-1)! - before < RESUMPTIONS.ms)
            return new Response(null, { status: 405 });
        }
        return send(target, init);
      },
      reconnectionOptions: RECONNECTION,
      ...(options.login ? { authProvider: options.login.provider } : {}),
    });
    this.messages = messages;
  }

  override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.messages.send(message);
    const lose = (): JSONRPCMessage | undefined =>
      isJSONRPCRequest(message) ? this.messages.lose(message.id) : undefined;
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      const answer = lose();
      if (answer) this.onmessage?.(answer);
    };
    try {
      await super.send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      // The request ends with this error.
      lose();
      throw error;
    }
  }
}

/** Undefined for a notification, and for a request that is not of the protocol, such as one for a token. */
function toId(body: RequestInit['body']): string | number | undefined {
  if (typeof body !== 'string' || !body.startsWith('{')) return undefined;
  const message: unknown = JSON.parse(body);
  return isJSONRPCRequest(message) ? message.id : undefined;
}
