import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';

/** The network gave up while a response was being read. `cause` is what it said. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'ConnectionLost';
  }
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for the SDKs that calls `onBytes` for the response's head and for every chunk of its body:
 * keep-alives yield no event, so only here can they be seen. It is made of node:http, because the built-in
 * one copies a request's body several times over, which a long history pays for at every turn.
 *
 * Rejects with what the network said; a failure while the body is read is {@link ConnectionLost}; an abort is
 * an `AbortError`, because the SDKs look for it. Follows no redirect and asks for no compression.
 */
export function createTappedFetch(onBytes: () => void): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
    const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' };
    const signal = init.signal ?? undefined;
    const options: RequestOptions = { method: init.method ?? 'GET', headers, ...(signal ? { signal } : {}) };
    const incoming = await send(request(url, options), init.body as Uint8Array | string | null | undefined);
    onBytes();
    const status = incoming.statusCode ?? 0;
    try {
      const body = NO_BODY.has(status) ? null : toStream(incoming, onBytes, signal);
      if (!body) incoming.resume();
      return new Response(body, { status, statusText: incoming.statusMessage ?? '', headers: toHeaders(incoming) });
    } catch (error) {
      // A status or a header that a Response cannot have.
      incoming.destroy();
      throw error;
    }
  };
}

/** Statuses that a Response must not have a body with. Source: https://fetch.spec.whatwg.org/#null-body-status */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function send(request: ClientRequest, body: Uint8Array | string | null | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Not once: what an abort or the network says after the response has no other listener.
    request.on('error', reject);
    // An answer that switches protocols is neither a response nor an error.
    request.once('close', () => reject(new Error('The connection was closed without a response.')));
    request.end(body ?? undefined);
  });
}

function toHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

/** The body with back pressure: nothing is read that nobody has asked for. */
function toStream(
  incoming: IncomingMessage,
  onBytes: () => void,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        incoming.on('data', (chunk: Uint8Array) => {
          onBytes();
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.once('end', () => controller.close());
        incoming.once('error', (error) => {
          // Of an abort Node says only that the connection was reset.
          const abort = new DOMException('The request was aborted.', 'AbortError');
          controller.error(signal?.aborted ? abort : new ConnectionLost(error));
        });
        incoming.pause();
      },
      pull: () => void incoming.resume(),
      cancel: () => void incoming.destroy(),
    },
    { highWaterMark: 0 },
  );
}
