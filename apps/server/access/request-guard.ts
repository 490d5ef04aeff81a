import { headOf } from '@klaus/sdk/cut-text';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { IncomingMessage } from 'node:http';
import { hasRole, type Role } from '../contract/index.ts';
import { Refusal } from '../http/problem.ts';
import { createAuthRateLimiter } from './auth-rate-limiter.ts';
import { type Identity, OWNER } from './identity.ts';
import type { ProxyTrust } from './proxy-trust.ts';
import type { Proof, SignIn } from './sign-in/sign-in.ts';
import type { Token } from './token.ts';

export interface RequestGuardOptions {
  host: string;
  corsOrigins: readonly string[];
  proxies: ProxyTrust;
  token: Token;
  signIn: SignIn;
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
  const { host, token, proxies, signIn } = options;
  const corsOrigins = options.corsOrigins.flatMap(toOrigins);
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
    throw tooMany(wait);
  };
  /** What a request proves. @throws Refusal 429 as `recordAttempt`. */
  const prove = async (request: IncomingMessage): Promise<Proof> => {
    if (isLocal(request)) return { identity: OWNER };
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const isToken = bearer !== undefined && token.isToken(bearer);
    const proof = isToken ? { identity: OWNER } : await signIn.identify(request);
    const { identity, wrong } = proof;
    const isAttempt =
      bearer !== undefined || identity !== undefined || (wrong !== undefined && limiter.isNewCookie(wrong));
    if (isAttempt) recordAttempt(request, identity !== undefined);
    return proof;
  };
  return {
    isSecure,
    recordAttempt,
    /** @throws Refusal 429 for an address that has to wait, before work is done for it. */
    checkAttempts(request: IncomingMessage): void {
      const wait = limiter.secondsToWait(addressOf(request));
      if (wait > 0) throw tooMany(wait);
    },
    /** @throws Refusal 400 for contradictory headers, 403 for a host that is not served or an origin that is not allowed. */
    checkOrigin(request: IncomingMessage): void {
      checkHeaders(request);
      const { host: requested, origin } = request.headers;
      if (isLocal(request) && origin === undefined) return;
      const name = toHostname(requested);
      if (name === undefined || !isServed(name)) {
        throw new Refusal(403, 'forbidden', {
          title: `${requested === undefined ? 'A request without a host' : `The host ${headOf(requested, 100)}`} is not served here.`,
          detail: 'Use the address that `klaus serve` printed, or add the origin to AGENT_CORS_ORIGIN.',
        });
      }
      if (origin === undefined || origin.toLowerCase() === ownOrigin(request) || corsOrigins.includes(origin)) return;
      throw new Refusal(403, 'forbidden', {
        title: `The origin ${headOf(origin, 100)} is not allowed.`,
        detail: 'Add it to AGENT_CORS_ORIGIN if its pages may use this server.',
      });
    },
    /** @returns Who sent a request; undefined without a valid proof. @throws Refusal 429 as `recordAttempt`. */
    identify: async (request: IncomingMessage): Promise<Identity | undefined> => (await prove(request)).identity,
    /**
     * @returns Who sent the request.
     * @throws Refusal 401 without a valid proof, 403 for a lower role, or 429 as `recordAttempt`.
     */
    async checkAccess(request: IncomingMessage, least: Role): Promise<Identity> {
      const { identity, denied } = await prove(request);
      if (denied) throw new Refusal(403, 'role_required', denied);
      if (identity === undefined) throw new Refusal(401, 'unauthorized', signIn.help);
      checkRole(identity, least);
      return identity;
    },
    /** Checks a token that a client sent in another way than in a header. @throws Refusal 401, or 429 as `recordAttempt`. */
    checkGivenToken(request: IncomingMessage, given: unknown): Identity {
      const isValid = typeof given === 'string' && token.isToken(given);
      if (given !== undefined) recordAttempt(request, isValid);
      if (isValid) return OWNER;
      throw new Refusal(401, 'unauthorized', {
        title: 'The token is missing or wrong.',
        detail: 'Send the token of the server as `auth.token`.',
      });
    },
    /** The other origins whose pages may use the server. */
    corsOrigins,
    /** The origin of this server as the client of a request reaches it. */
    ownOrigin,
    /** The allowed foreign origin of a request; undefined for the server's own page and for clients without an origin. */
    foreignOrigin(request: IncomingMessage): string | undefined {
      const { origin } = request.headers;
      return origin !== undefined && corsOrigins.includes(origin) ? origin : undefined;
    },
  };
}

function tooMany(seconds: number): Refusal {
  return new Refusal(429, 'too_many', {
    title: 'This address sent too many wrong tokens.',
    detail: `Try again in ${seconds} s.`,
    retryable: true,
    headers: { 'retry-after': String(seconds) },
  });
}

/** @throws Refusal 403 for a lower role. */
export function checkRole({ role }: Identity, least: Role): void {
  if (hasRole(role, least)) return;
  throw new Refusal(403, 'role_required', {
    title: `This needs the role ${least}. You have the role ${role}.`,
    detail: 'An administrator can give it to one of your groups, with the setting `server.roles`.',
  });
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
