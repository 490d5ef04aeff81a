import type { IncomingMessage } from 'node:http';
import { CLIENT_HEADER, type Problem } from '../contract/index.ts';
import { requestIdOf } from '../observability/request-log.ts';
import type { Cookie, Redirect } from '../access/sign-in/sign-in.ts';
import type { Document, ShownFile } from './handler.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

export function toProblemResponse(
  request: IncomingMessage,
  problem: Problem,
  headers: Record<string, string> = {},
): Response {
  return toResponse(JSON.stringify({ ...problem, requestId: requestIdOf(request) }), {
    status: problem.status,
    headers: { ...headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  });
}

export function toResponse(
  body: string | Uint8Array,
  init: { status: number; headers: Record<string, string> },
): Response {
  return new Response(init.status === 304 ? null : (body as Uint8Array<ArrayBuffer> | string), {
    ...init,
    headers: { ...SECURITY_HEADERS, ...init.headers },
  });
}

/** Streams the document, so that a long session is never in memory as one text. */
export function toDocumentResponse(
  { mediaType, fileName, content }: Document,
  headers: Record<string, string>,
): Response {
  const body = ReadableStream.from(content).pipeThrough(new TextEncoderStream());
  const disposition = fileName === undefined ? {} : { 'content-disposition': `attachment; filename="${fileName}"` };
  return new Response(body, {
    headers: { ...SECURITY_HEADERS, ...headers, 'content-type': mediaType, ...disposition },
  });
}

/** A file that a browser shows. If it opens an SVG file as a page, that runs no script and loads nothing. */
export function toFileResponse({ mediaType, content }: ShownFile, headers: Record<string, string>): Response {
  // Browsers show PDF documents with a program of their own, which a sandbox would stop.
  const sandbox = mediaType === 'application/pdf' ? '' : '; sandbox';
  const policy = `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'${sandbox}`;
  const own = { 'content-type': mediaType, 'content-security-policy': policy };
  return toResponse(content, { status: 200, headers: { ...headers, ...own } });
}

/** How browsers reach the server. */
export interface Reached {
  /** True over TLS. */
  isSecure: boolean;
  basePath: string;
}

export function toSetCookie(
  { name, value, sameSite, path = '/', maxAgeSeconds }: Cookie,
  { isSecure, basePath }: Reached,
): string {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=${basePath}${path}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}${age}`;
}

export function toRedirectResponse(
  { location, cookies }: Redirect,
  { headers, ...reached }: Reached & { headers: Record<string, string> },
): Response {
  const target = location.startsWith('/') ? `${reached.basePath}${location}` : location;
  const all = new Headers({ ...SECURITY_HEADERS, ...headers, location: target });
  for (const cookie of cookies) all.append('set-cookie', toSetCookie(cookie, reached));
  return new Response(null, { status: 302, headers: all });
}

/** Headers for an allowed foreign origin; none without one. */
export function toCors(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': `authorization, content-type, last-event-id, ${CLIENT_HEADER}`,
    'access-control-expose-headers': 'x-request-id',
    'access-control-max-age': '600',
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'origin',
  };
}
