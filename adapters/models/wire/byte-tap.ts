/** The network gave up while a response was being read. `cause` is what it said. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super(toReason(cause), { cause });
    this.name = 'ConnectionLost';
  }
}

function toReason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` that calls `onBytes` for the response's head and for every chunk of its body. Keep-alives
 * yield no event, so only here can they be seen. A failure while reading is thrown as
 * {@link ConnectionLost}; an abort passes unchanged, because the SDKs look for it.
 */
export function createTappedFetch(onBytes: () => void): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    onBytes();
    if (!response.body) return response;
    return new Response(tap(response.body, onBytes), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

function tap(body: ReadableStream<Uint8Array>, onBytes: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          onBytes();
          controller.enqueue(value);
        } catch (error) {
          controller.error(error instanceof Error && error.name === 'AbortError' ? error : new ConnectionLost(error));
        }
      },
      async cancel(reason) {
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
