import { createClient, type Client } from '@klaus/server/client';
import { createFetch } from './http-fetch.ts';

let made: { socketPath: string; client: Client } | undefined;

/** A client of the server of one's own state folder, by its Unix socket. The same one for the same socket. */
export function createLocalClient(socketPath: string): Client {
  if (made?.socketPath !== socketPath)
    made = { socketPath, client: createClient({ baseUrl: 'http://localhost', fetch: createFetch(socketPath) }) };
  return made.client;
}
