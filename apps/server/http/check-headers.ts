import type { IncomingMessage } from 'node:http';
import { Refusal } from './problem.ts';

/** Headers by which a request is judged. Node keeps the first of two, and a proxy may have looked at the other. */
const SINGLE = ['host', 'origin', 'authorization'] as const;

/** @throws Refusal 400 for a request that says two things about where it goes or who sends it. */
export function checkHeaders(request: IncomingMessage): void {
  const names = request.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  for (const single of SINGLE) {
    if (names.filter((name) => name === single).length > 1) refuse(`The request has two ${single} headers.`);
  }
  const { host } = request.headers;
  if (host === undefined && request.httpVersion !== '1.0') refuse('The request has no host header.');
  const target = request.url ?? '';
  if (target.startsWith('/') || (target === '*' && request.method === 'OPTIONS')) return;
  // RFC 9112, 3.2.2: the whole address, as to a proxy. Only where it says the same as the header.
  const [, named] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  if (named === undefined) refuse('The target of the request is no path.');
  if (named!.toLowerCase() !== (host ?? '').toLowerCase())
    refuse('The target of the request names another host than its header.');
}

function refuse(title: string): never {
  throw new Refusal(400, 'usage', { title, detail: 'Send one host header, and a path as the target.' });
}
