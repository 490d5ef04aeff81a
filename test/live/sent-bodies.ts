import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

/** The bodies of the POST requests that this process sends to one host, in order. */
export interface SentBodies extends Disposable {
  readonly bodies: readonly string[];
}

/** Observes the clients without a proxy between, which would change the address by which they know the server. */
export function watchSentBodies(host: string): SentBodies {
  const bodies: string[] = [];
  const onCreated = (message: unknown): void => {
    const { request } = message as { request: ClientRequest };
    if (request.method !== 'POST' || request.getHeader('host') !== host) return;
    const at = bodies.push('') - 1;
    const write = request.write.bind(request) as (chunk: Uint8Array) => boolean;
    request.write = ((chunk: Uint8Array): boolean => {
      bodies[at] += Buffer.from(chunk).toString('utf8');
      return write(chunk);
    }) as ClientRequest['write'];
  };
  subscribe('http.client.request.created', onCreated);
  return { bodies, [Symbol.dispose]: () => void unsubscribe('http.client.request.created', onCreated) };
}
