import type { IncomingMessage } from 'node:http';
import { CLIENT_HEADER, clientNameSchema } from '../contract/index.ts';

/** Who the log says it was: this door, and the client that came through it, where it says which it is. */
export type CalledBy = 'server' | `server/${string}`;

/** Whoever has the token may call itself what it likes: it says by what way a person answered, not who they are. */
export function toCalledBy(request: IncomingMessage): CalledBy {
  const name = clientNameSchema.safeParse(request.headers[CLIENT_HEADER]);
  return name.success ? `server/${name.data}` : 'server';
}
