import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { IncomingMessage } from 'node:http';
import { createAuthRateLimiter } from './auth-rate-limiter.ts';
import { Refusal } from '../http/problem.ts';
import { toProxyTrust } from './proxy-trust.ts';
import type { Token } from './token.ts';

export interface RequestGuardOptions {
  host: string;
  corsOrigins: readonly string[];
  trustProxy: boolean | number | string;
  token: Token;
  /** Name of the cookie. */
  cookie: string;
}

export type RequestGuard = ReturnType<typeof createRequestGuard>;

/** Marks connections of the Unix socket, which the file permissions authenticate. */
const LOCAL = Symbol('klaus.local');

export function markLocal(socket: object): void {
  Object.defineProperty(socket, LOCAL, { value: true });
}

/** True for a request over the Unix socket. */
export function isLocal(request: IncomingMessage): boolean {
  return LOCAL in request.socket;
}

/** A host without a scheme allows both HTTP and HTTPS. */
function toOrigins(given: string): string[] {
  return given.includes('://') ? [given] : [`http://${given}`, `https://${given}`];
}

/** Checks every request and every upgrade before it is handled. */
export function createRequestGuard(options: RequestGuardOptions) {
  const { host, token } = options;
  const corsOrigins = options.corsOrigins.flatMap(toOrigins);
  const proxies = toProxyTrust(options.trustProxy);
  const isWildcard = ['0.0.0.0', '::', ''].includes(host);
  const names = new Set([
    'localhost',
    ...(isWildcard ? [hostname().toLowerCase()] : [host.toLowerCase()]),
    ...corsOrigins.map((origin) => new URL(origin).hostname),
  ]);
  const isServed = (name: string): boolean => {
    const bare = name.replace(/^\[|\]$/g, '');
    if (names.has(name) || names.has(bare)) return true;
    // DNS rebinding: the owner of a name can point it to this machine. Addresses are safe.
    return isIP(bare) !== 0 && (isWildcard || isLoopback(bare));
  };
  const isSecure = (request: IncomingMessage): boolean =>
    proxies.isTrusted(request.socket.remoteAddress ?? '') &&
    first(request.headers['x-forwarded-proto'])?.trim() === 'https';
  const ownOrigin = (request: IncomingMessage): string =>
    `${isSecure(request) ? 'https' : 'http'}://${(request.headers.host ?? '').toLowerCase()}`;
  const limiter = createAuthRateLimiter();
  const addressOf = (request: IncomingMessage): string =>
    proxies.clientOf(request.socket.remoteAddress ?? '', [request.headers['x-forwarded-for'] ?? []].flat().join(','));
  /**
   * Counts a token or cookie that was sent.
   *
   * @throws Refusal 429 after too many wrong tokens from one address, even if this one is right: otherwise guessing
   *   would not be limited. An address that has sent the right token before is always accepted.
   */
  const recordAttempt = (request: IncomingMessage, isValid: boolean): void => {
    const address = addressOf(request);
    const wait = limiter.secondsToWait(address);
    if (isValid && (wait === 0 || limiter.isTrusted(address))) return limiter.trust(address);
    if (wait === 0) return limiter.recordFailure(address);
    throw new Refusal(429, 'too_many', {
      title: 'This address sent too many wrong tokens.',
      detail: `Try again in ${wait} s.`,
      retryable: true,
      headers: { 'retry-after': String(wait) },
    });
  };
  return {
    isSecure,
    recordAttempt,
    /** @throws Refusal 400 for contradictory headers, 403 for a host that is not served or an origin that is not allowed. */
    checkOrigin(request: IncomingMessage): void {
      checkHeaders(request);
      const { host: requested, origin } = request.headers;
      if (isLocal(request) && origin === undefined) return;
      const name = toHostname(requested);
      if (name === undefined || !isServed(name)) {
        throw new Refusal(403, 'forbidden', {
          title: `${requested === undefined ? 'A request without a host' : `The host ${requested.slice(0, 100)}`} is not served here.`,
          detail: 'Use the address that `klaus serve` printed, or add the origin to AGENT_CORS_ORIGIN.',
        });
      }
      if (origin === undefined || origin.toLowerCase() === ownOrigin(request) || corsOrigins.includes(origin)) return;
      throw new Refusal(403, 'forbidden', {
        title: `The origin ${origin.slice(0, 100)} is not allowed.`,
        detail: 'Add it to AGENT_CORS_ORIGIN if its pages may use this server.',
      });
    },
    /** @throws Refusal 401, or 429 as `recordAttempt`. */
    checkToken(request: IncomingMessage): void {
      if (isLocal(request)) return;
      const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      const cookie = readCookie(request.headers.cookie, options.cookie);
      const isValid =
        (bearer !== undefined && token.isToken(bearer)) || (cookie !== undefined && token.isCookie(cookie));
      const isAttempt = bearer !== undefined || (cookie !== undefined && (isValid || limiter.isNewCookie(cookie)));
      if (isAttempt) recordAttempt(request, isValid);
      if (isValid) return;
      throw new Refusal(401, 'unauthorized', {
        title: 'The token is missing or wrong.',
        detail: 'Open the address that `klaus serve` printed, or send the token in the header `Authorization: Bearer`.',
      });
    },
    /** The allowed foreign origin of a request; undefined for the server's own page and for clients without an origin. */
    foreignOrigin(request: IncomingMessage): string | undefined {
      const { origin } = request.headers;
      return origin !== undefined && corsOrigins.includes(origin) ? origin : undefined;
    },
  };
}

/** True for an address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Lower-case, without the port; undefined for an invalid host. */
function toHostname(host: string | undefined): string | undefined {
  if (host === undefined || !/^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(host)) return undefined;
  return host.replace(/:\d+$/, '').toLowerCase();
}

/** Headers that must not occur twice. Node uses the first of two, and a proxy may have checked the second. */
const SINGLE = ['host', 'origin', 'authorization'] as const;

/** @throws Refusal 400 for a request with contradictory hosts, origins or tokens. */
function checkHeaders(request: IncomingMessage): void {
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

function first(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value)?.split(',')[0];
}

function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
