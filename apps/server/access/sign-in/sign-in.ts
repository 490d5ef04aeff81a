import type { IncomingMessage } from 'node:http';
import type { Configuration } from '@klaus/sdk';
import type { Problem, SignInFailureCode, SignInKind } from '../../contract/index.ts';
import type { Log } from '../../observability/log.ts';
import type { Identity } from '../identity.ts';
import type { ProxyTrust } from '../proxy-trust.ts';
import type { Token } from '../token.ts';
import type { EndedSignIns } from './ended-sign-ins.ts';

/** What a request proves. */
export interface Proof {
  identity?: Identity;
  /** Something was sent that is wrong, such as a forged cookie: it counts against the address. */
  wrong?: string;
  /** Why a person who has signed in has no role. */
  denied?: Pick<Problem, 'title' | 'detail'>;
}

export interface Cookie {
  name: string;
  /** Empty: the cookie is deleted. */
  value: string;
  /** `Lax` only for a cookie that must arrive with a redirect from another site. */
  sameSite: 'Strict' | 'Lax';
  /** Below the base path. Default `/`. */
  path?: string;
  /** Default: until the browser is closed. */
  maxAgeSeconds?: number;
}

/** An answer that sends a browser elsewhere. */
export interface Redirect {
  /** A path of this server, or an address of the provider. */
  location: string;
  cookies: readonly Cookie[];
  /** Who has signed in with it. */
  identity?: Identity;
}

/** A browser that comes to sign in. */
export interface Visit {
  request: IncomingMessage;
  /** The origin at which the browser reaches the server, which the request guard has checked, and the base path. */
  address: string;
}

/**
 * One way to sign in. The request guard checks the Unix socket, the bearer token, hosts, origins and rate limits before
 * it; they are the same for all.
 */
export interface SignIn {
  readonly kind: SignInKind;
  /** What a client without a valid proof has to do. */
  readonly help: Pick<Problem, 'title' | 'detail'>;
  identify(request: IncomingMessage): Promise<Proof>;
  /** The cookie for a token; undefined for a wrong one. Absent: a browser cannot sign in with the token. */
  exchange?(token: string): Promise<Cookie | undefined>;
  /** Sends the browser to the provider. Absent, with `complete`: this kind does not redirect. @param to Fragment to return to. @throws SignInFailure */
  begin?(visit: Visit, to: string): Promise<Redirect>;
  /** Signs in a browser that comes from the provider. @throws SignInFailure */
  complete?(visit: Visit): Promise<Redirect>;
  /** Ends a sign-in: its cookie is refused from now on. Absent: this server cannot end it. */
  end?(identity: Identity): Promise<{ cookie: Cookie; provider?: string }>;
}

export interface SignInOptions {
  configuration: Pick<Configuration, 'get'>;
  token: Token;
  /** Name of the cookie. */
  cookie: string;
  proxies: ProxyTrust;
  ended: EndedSignIns;
  log: Log;
}

/** A sign-in that did not succeed. The message is for the log; the page shows a text for the code. */
export class SignInFailure extends Error {
  readonly code: SignInFailureCode;

  constructor(code: SignInFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SignInFailure';
    this.code = code;
  }
}
