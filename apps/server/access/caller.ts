import type { IncomingMessage } from 'node:http';
import { CLIENT_HEADER, clientNameSchema } from '../contract/index.ts';

/** Who the log names as the sender: the server, and the client if it identifies itself. */
export type Caller = 'server' | `server/${string}`;

/** The client chooses its name: it identifies the kind of client, and authenticates no user. */
export function toCaller(request: IncomingMessage): Caller {
  const name = clientNameSchema.safeParse(request.headers[CLIENT_HEADER]);
  return name.success ? `server/${name.data}` : 'server';
}
