import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { IncomingMessage } from 'node:http';
import { checkHeaders } from '../http/check-headers.ts';
import { createAuthRateLimiter } from './auth-rate-limiter.ts';
import { Refusal } from '../http/problem.ts';
import { toProxyTrust } from './proxy-trust.ts';
import type { Token } from './token.ts';

export interface RequestGuardOptions {
  /** What the server was told to listen on. */
  host: string;
  corsOrigins: readonly string[];
  trustProxy: boolean | number | string;
  authenticate: Authenticate;
  /** Name of the cookie. */
  cookie: string;
}

/** What a request shows of who sends it. */
export interface Credentials {
  bearer: string | undefined;
  cookie: string | undefined;
}

/** Says whether a request may pass; the token is the first such provider. */
export type Authenticate = (credentials: Credentials) => boolean;

export function byToken(token: Token): Authenticate {
  return ({ bearer, cookie }) =>
    (bearer !== undefined && token.isToken(bearer)) || (cookie !== undefined && token.isCookie(cookie));
}

/** Looks at every request and every upgrade, before anything else does. */
export interface RequestGuard {
  /** @throws Refusal 400 for headers that contradict each other, 403 for a name that is not served here, or a page that may not ask. */
  checkPlace(request: IncomingMessage): void;
  /** @throws Refusal 401, or 429 as `noteTry`. */
  checkToken(request: IncomingMessage): void;
  /** The foreign origin that may read the answer; undefined where the page is the server's own, or there is none. */
  foreignOrigin(request: IncomingMessage): string | undefined;
  isSecure(request: IncomingMessage): boolean;
  /**
   * Takes note of a token that came with a request, whatever it came by.
   *
   * @throws Refusal 429 for an address that guessed too often, also where this one is right: it would be no limit
   *   otherwise. Where the right token was used before, it is always let in.
   */
  noteTry(request: IncomingMessage, isRight: boolean): void;
}

/** Marks connections that came through the Unix socket: the file system has let them in. */
const LOCAL = Symbol('klaus.local');

export function markLocal(socket: object): void {
  Object.defineProperty(socket, LOCAL, { value: true });
}

/** True for a request by the Unix socket. */
export function isLocal(request: IncomingMessage): boolean {
  return LOCAL in request.socket;
}

/** `localhost:5173` is both of its origins. */
function toOrigins(given: string): string[] {
  return given.includes('://') ? [given] : [`http://${given}`, `https://${given}`];
}

export function createRequestGuard(options: RequestGuardOptions): RequestGuard {
  const { host, authenticate } = options;
  const corsOrigins = options.corsOrigins.flatMap(toOrigins);
  const proxies = toProxyTrust(options.trustProxy);
  const isEverywhere = isWildcard(host);
  const names = new Set([
    'localhost',
    ...(isEverywhere ? [hostname().toLowerCase()] : [host.toLowerCase()]),
    ...corsOrigins.map((origin) => new URL(origin).hostname),
  ]);
  const isServed = (name: string): boolean => {
    const bare = name.replace(/^\[|\]$/g, '');
    if (names.has(name) || names.has(bare)) return true;
    // A name in the DNS can be turned to this machine by its owner; an address cannot.
    return isIP(bare) !== 0 && (isEverywhere || isLoopback(bare));
  };
  const isSecure = (request: IncomingMessage): boolean =>
    proxies.trusts(request.socket.remoteAddress ?? '') &&
    first(request.headers['x-forwarded-proto'])?.trim() === 'https';
  const ownOrigin = (request: IncomingMessage): string =>
    `${isSecure(request) ? 'https' : 'http'}://${(request.headers.host ?? '').toLowerCase()}`;
  const tries = createAuthRateLimiter();
  const addressOf = (request: IncomingMessage): string =>
    proxies.clientOf(request.socket.remoteAddress ?? '', [request.headers['x-forwarded-for'] ?? []].flat().join(','));
  const noteTry = (request: IncomingMessage, isRight: boolean): void => {
    const address = addressOf(request);
    const wait = tries.waitOf(address);
    if (isRight && (wait === 0 || tries.isTrusted(address))) return tries.trust(address);
    if (wait === 0) return tries.count(address);
    throw new Refusal(429, 'too_many', {
      title: 'Too many wrong tokens came from this address.',
      detail: `Try again in ${wait} s.`,
      retryable: true,
      headers: { 'retry-after': String(wait) },
    });
  };
  return {
    isSecure,
    noteTry,
    checkPlace(request) {
      checkHeaders(request);
      const { host: asked, origin } = request.headers;
      if (isLocal(request) && origin === undefined) return;
      const name = toHostname(asked);
      if (name === undefined || !isServed(name)) {
        throw new Refusal(403, 'forbidden', {
          title: `${asked === undefined ? 'A request without a host' : `The host ${asked.slice(0, 100)}`} is not served here.`,
          detail: 'Use the address that klaus serve printed, or name the origin in AGENT_CORS_ORIGIN.',
        });
      }
      if (origin === undefined || isSameOrigin(origin, ownOrigin(request)) || corsOrigins.includes(origin)) return;
      throw new Refusal(403, 'forbidden', {
        title: `Pages of ${origin.slice(0, 100)} may not use this server.`,
        detail: 'AGENT_CORS_ORIGIN names the origins that may.',
      });
    },
    checkToken(request) {
      if (isLocal(request)) return;
      const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      const cookie = readCookie(request.headers.cookie, options.cookie);
      const isRight = authenticate({ bearer, cookie });
      // A page with a cookie of yesterday guesses nothing, however often it asks.
      const isTry = bearer !== undefined || (cookie !== undefined && (isRight || tries.isNewCookie(cookie)));
      if (isTry) noteTry(request, isRight);
      if (isRight) return;
      throw new Refusal(401, 'unauthorized', {
        title: 'The token is missing or wrong.',
        detail: 'Open the address that klaus serve printed, or send Authorization: Bearer with the token.',
      });
    },
    foreignOrigin(request) {
      const { origin } = request.headers;
      return origin !== undefined && corsOrigins.includes(origin) ? origin : undefined;
    },
  };
}

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '';
}

/** Lower-case, without the port; undefined for what is no host. */
function toHostname(host: string | undefined): string | undefined {
  if (host === undefined || !/^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(host)) return undefined;
  return host.replace(/:\d+$/, '').toLowerCase();
}

function isSameOrigin(origin: string, own: string): boolean {
  return origin.toLowerCase() === own;
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
