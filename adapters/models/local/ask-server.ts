import type { Agent, IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** Asks for a page of a server: GET, or POST with a body. Undefined: no answer in JSON within the bounds. */
export type Ask = (path: string, body?: object) => Promise<unknown>;

export interface AskOptions {
  /** Scheme, host and port. */
  origin: string;
  /** For each request, in milliseconds. */
  timeoutMs: number;
  /** Longest answer. */
  maxBytes: number;
  headers?: OutgoingHttpHeaders;
  /** Default: a direct connection. */
  agent?: Agent;
  /** Called when a request had no answer in time. */
  onLate?: () => void;
  /** Called with the status of each answer. */
  onStatus?: (status: number) => void;
}

/** How a program is looked for: with what it takes to answer on this machine, so that nothing waits for a dead port. */
export const LOOK = { timeoutMs: 300, maxBytes: 65_536 } as const;
/** The same for a program that the user names. */
export const LOOK_NAMED = { ...LOOK, timeoutMs: 3_000 } as const;
/** How a server that the user allows is asked about its model. */
export const READ = { timeoutMs: 5_000, maxBytes: 4_194_304 } as const;
/** The same for a server that has just answered a request, and may be busy. */
export const READ_LATER = { ...READ, timeoutMs: 30_000 } as const;

/** No redirect is followed, and no error is thrown. */
export function createAsk({ origin, timeoutMs, maxBytes, headers, agent, onLate, onStatus }: AskOptions): Ask {
  return async (path, body) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const url = new URL(path, origin);
    const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const late = new AbortController();
    // What has arrived while this process was busy counts.
    const timer = setTimeout(() => setImmediate(() => setImmediate(() => late.abort())), timeoutMs);
    try {
      const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = request(url, {
          method: text === undefined ? 'GET' : 'POST',
          headers: {
            accept: 'application/json',
            'accept-encoding': 'identity',
            'user-agent': 'klaus',
            ...(text !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(text),
            }),
            ...headers,
          },
          // The global agent may have a proxy.
          agent: agent ?? false,
          signal: late.signal,
        });
        sent.once('response', resolve);
        sent.on('error', reject);
        sent.once('close', () => reject(new Error('closed')));
        sent.end(text);
      });
      onStatus?.(incoming.statusCode ?? 0);
      return await readJson(incoming, maxBytes);
    } catch {
      if (late.signal.aborted) onLate?.();
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
}

async function readJson(incoming: IncomingMessage, maxBytes: number): Promise<unknown> {
  const { statusCode = 0 } = incoming;
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (statusCode !== 200 || size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return statusCode === 200 ? (JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown) : undefined;
}
