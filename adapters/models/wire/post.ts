import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import { isKlausError } from '@klaus/core/protocol';
import { ConnectionLost } from '../failure/errors.ts';

export interface PostOptions {
  headers: OutgoingHttpHeaders;
  /** Pieces, which are sent in order. They must not change until the answer has arrived. */
  body: readonly Uint8Array[];
  signal: AbortSignal;
  /** Default: the global one of Node. */
  agent?: Agent;
  /** Called when the last byte was handed to the system. */
  onSent?: () => void;
}

/**
 * Sends one POST and returns the head of the response; the caller reads the body. Uses node:http, because the built-in
 * `fetch` copies a request's body several times, which is costly for a long history. Follows no redirect and requests
 * no compression.
 *
 * @throws ConnectionLost with the network's error; after an abort, any error.
 */
export async function post(url: URL, { headers, body, signal, agent, onSent }: PostOptions): Promise<IncomingMessage> {
  // Not by `import`, which touches all that the module exports and so loads all of `fetch`.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const options: RequestOptions = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      'content-length': lengthOf(body),
      'user-agent': 'klaus',
      ...headers,
    },
    agent,
  };
  const sent = request(url, options);
  if (onSent) sent.once('finish', onSent);
  closeOnAbort(sent, signal);
  return send(sent, body);
}

/**
 * Not by the option `signal` of Node, which destroys the socket with an error: if the complete response has arrived but is
 * not read yet, the socket has no listener for it any more, and the process ends.
 */
function closeOnAbort(request: ClientRequest, signal: AbortSignal): void {
  const close = (): void => void request.destroy();
  if (signal.aborted) close();
  signal.addEventListener('abort', close, { once: true });
  request.once('close', () => signal.removeEventListener('abort', close));
}

export function lengthOf(body: PostOptions['body']): number {
  return body.reduce((sum, { length }) => sum + length, 0);
}

function send(request: ClientRequest, body: PostOptions['body']): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Not `once`: an error after the response, of an abort or the network, has no other listener.
    request.on('error', (error) => reject(isKlausError(error) ? error : new ConnectionLost(error)));
    // An answer that switches protocols is neither a response nor an error.
    request.once('close', () => reject(new ConnectionLost('The connection was closed without a response.')));
    // Joined, they would be another copy of a long history at every turn.
    for (const piece of body) if (piece.length > 0) request.write(piece);
    request.end();
  });
}
