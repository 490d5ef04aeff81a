import type { IncomingMessage } from 'node:http';
import { Refusal } from './problem.ts';

/** Headers that the guard checks. Node uses the first of two, and a proxy may have checked the second. */
const SINGLE = ['host', 'origin', 'authorization'] as const;

/** @throws Refusal 400 for a request with contradictory hosts, origins or tokens. */
export function checkHeaders(request: IncomingMessage): void {
  const names = request.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  for (const single of SINGLE) {
    if (names.filter((name) => name === single).length > 1) refuse(`The request has two ${single} headers.`);
  }
  const { host } = request.headers;
  if (host === undefined && request.httpVersion !== '1.0') refuse('The request has no host header.');
  const target = request.url ?? '';
  if (target.startsWith('/') || (target === '*' && request.method === 'OPTIONS')) return;
  // RFC 9112, 3.2.2: the absolute form, as sent to a proxy. Allowed if it names the same host as the header.
  const [, named] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  if (named === undefined) refuse('The target of the request is not a path.');
  if (named!.toLowerCase() !== (host ?? '').toLowerCase())
    refuse('The target of the request and its host header name different hosts.');
}

function refuse(title: string): never {
  throw new Refusal(400, 'usage', { title, detail: 'Send one host header and a path as the target.' });
}
