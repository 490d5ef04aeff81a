import type { Client } from '@klaus/server/client';

/** A connected server, for requests. */
export interface HttpServer {
  client: Client;
  /** For messages. */
  name: string;
  /** Turns the error of a request into one with a code. */
  ask: <T>(request: Promise<T>) => Promise<T>;
}
