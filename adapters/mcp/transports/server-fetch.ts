import { KlausError } from '@klaus/core/protocol';
import type { SessionLogin } from '../oauth.ts';
import type { HttpServer } from '../server-config.ts';

/** Bytes of one answer, or of one event stream between two requests. */
const MAX_ANSWER = 16 * 1_024 * 1_024;

type Fetch = (target: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Requests to a server. They follow no redirect, and reach no other origin than that of the server; with `login` also
 * the authorization server that the user accepted, without the headers of the server.
 *
 * @param repair Changes an answer of the server.
 */
export function createServerFetch(
  { url, headers }: Pick<HttpServer, 'url' | 'headers'>,
  { name, login }: { name: string; login?: SessionLogin },
  repair: (answer: Response, init: RequestInit) => Response | Promise<Response>,
): Fetch {
  const { origin } = new URL(url);
  return async (target, init = {}) => {
    const at = new URL(target);
    if (at.origin === origin) return repair(limit(await fetch(at, { ...init, redirect: 'error' }), name), init);
    if (!login) throw refuse(name, `leads to another host, ${at.host}`);
    await login.check(at);
    const others = new Headers(init.headers);
    for (const [key, value] of Object.entries(headers)) if (others.get(key) === value) others.delete(key);
    return limit(await fetch(at, { ...init, headers: others, redirect: 'error' }), name);
  };
}

function refuse(name: string, reason: string): KlausError {
  return new KlausError('mcp.failed', `The MCP server ${name} ${reason}.`);
}

/** The same answer, whose body fails above the limit. A stream of events may be long, but not one event. */
function limit(answer: Response, name: string): Response {
  if (!answer.body) return answer;
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let length = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // An event ends with an empty line.
      const end = isStream ? Buffer.from(chunk).lastIndexOf('\n\n') : -1;
      length = end < 0 ? length + chunk.length : chunk.length - end;
      if (length > MAX_ANSWER) controller.error(refuse(name, `sent an answer of more than ${MAX_ANSWER} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(counter), { status, statusText, headers });
}
