import type { IncomingMessage } from 'node:http';
import { CLIENT_HEADER, clientNameSchema } from '../contract/index.ts';
import type { Identity } from './identity.ts';

/** Who the log names as the sender: the server, the client if it identifies itself, and the person if the sign-in names one. */
export type Caller = 'server' | `server/${string}` | `server:${string}`;

/** The client chooses its name: it identifies the kind of client. The name of the person is authenticated. */
export function toCaller(request: IncomingMessage, identity: Identity): Caller {
  const client = clientNameSchema.safeParse(request.headers[CLIENT_HEADER]);
  return toSender(client.success ? `server/${client.data}` : 'server', identity);
}

/** The sender of a request by its door, such as `server/page`: `server/page:alice@example.com`. */
export function toSender(door: 'server' | `server/${string}`, { name }: Identity): Caller {
  return name === undefined ? door : `${door}:${name}`;
}
