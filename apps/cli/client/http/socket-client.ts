import { createClient, type Client } from '@klaus/server/client';
import { createFetch } from './http-fetch.ts';

let cached: { socketPath: string; client: Client } | undefined;

/** A client of the server of a state folder, by its Unix socket. The same socket gets the same client. */
export function toSocketClient(socketPath: string): Client {
  if (cached?.socketPath !== socketPath)
    cached = { socketPath, client: createClient({ baseUrl: 'http://localhost', fetch: createFetch(socketPath) }) };
  return cached.client;
}
