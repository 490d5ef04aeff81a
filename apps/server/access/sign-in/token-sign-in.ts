import { OWNER } from '../identity.ts';
import { readCookie } from './read-cookie.ts';
import type { Cookie, SignIn, SignInOptions } from './sign-in.ts';

/** The browser exchanges the token of the server for a cookie that is derived from it. */
export function createTokenSignIn({ token, cookie: name }: SignInOptions): SignIn {
  const toCookie = (value: string, maxAgeSeconds?: number): Cookie => ({
    ...{ name, value, sameSite: 'Strict' as const },
    maxAgeSeconds,
  });
  return {
    kind: 'token',
    help: {
      title: 'The token is missing or wrong.',
      detail: 'Open the address that `klaus serve` printed, or send the token in the header `Authorization: Bearer`.',
    },
    identify(request) {
      const value = readCookie(request, name);
      if (value === undefined) return Promise.resolve({});
      return Promise.resolve(token.isCookie(value) ? { identity: OWNER } : { wrong: value });
    },
    exchange: (given) => Promise.resolve(token.isToken(given) ? toCookie(token.cookie) : undefined),
    end: () => Promise.resolve({ cookie: toCookie('', 0) }),
  };
}
