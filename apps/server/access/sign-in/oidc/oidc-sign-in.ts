import { createHmac, randomBytes } from 'node:crypto';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { ROLES } from '../../../contract/index.ts';
import { readCookie } from '../read-cookie.ts';
import { type Cookie, SignInFailure, type Redirect, type SignIn, type SignInOptions } from '../sign-in.ts';
import { createSignedCookie } from '../signed-cookie.ts';
import { toFolders, toNamedGroups } from '../to-folders.ts';
import { toRole } from '../to-role.ts';
import { type Claims, readClaim, toClaimedName, toGroups } from './claims.ts';
import { createProvider, type Provider, toFailure } from './provider.ts';

/** Milliseconds in which a person signs in at the provider. */
const REQUEST_MS = 600_000;
const CALLBACK = '/api/sign-in/callback';

/** What the cookie of a browser holds that has signed in. */
const sessionSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  groups: z.array(z.string()).describe('Those of `server.projects`.'),
  until: z.number(),
});
/** What the cookie of a browser holds that is at the provider. */
const requestSchema = z.object({ state: z.string(), to: z.string(), until: z.number() });

/**
 * OpenID Connect with the authorization code flow, PKCE, state and nonce. The state is in a signed cookie of the browser,
 * so that the answer to a request counts only in the browser that made it.
 *
 * @throws KlausError `config` without an issuer or a client id.
 */
export function createOidcSignIn(options: SignInOptions): SignIn {
  const { configuration, token, ended, cookie: name } = options;
  const provider = createProvider(configuration);
  const [nameClaim, rolesClaim] = [
    configuration.get('server.oidcNameClaim'),
    configuration.get('server.oidcRolesClaim'),
  ];
  const mapping = configuration.get('server.roles');
  const projects = configuration.get('server.projects');
  const scope = [...new Set(['openid', ...configuration.get('server.oidcScopes')])].join(' ');
  // After a change of what decides about roles and projects, all sign in again.
  const decides = [provider.issuer, provider.clientId, nameClaim, rolesClaim, mapping, projects];
  const toSecret = (purpose: string): string =>
    createHmac('sha256', token.text)
      .update(`klaus: ${purpose}\n${JSON.stringify(decides)}`)
      .digest('base64url');
  const sessions = createSignedCookie(toSecret('session'), sessionSchema);
  const requests = createSignedCookie(toSecret('request'), requestSchema);
  const derivation = toSecret('derivation');
  /** Nonce and PKCE verifier: secrets that follow from the state for this server only. */
  const derive = (purpose: 'nonce' | 'verifier', state: string): string =>
    createHmac('sha256', derivation).update(`${purpose} ${state}`).digest('base64url');
  const toCookie = (value: string, maxAgeSeconds: number): Cookie => ({
    name,
    value,
    sameSite: 'Strict',
    maxAgeSeconds,
  });
  // `Lax`, because it has to arrive with the redirect from the provider.
  const toRequestCookie = (value: string, maxAgeSeconds: number): Cookie => ({
    ...{ name: `${name}-request`, value, sameSite: 'Lax' as const, path: CALLBACK, maxAgeSeconds },
  });

  return {
    kind: 'oidc',
    help: {
      title: 'You are not signed in.',
      detail: 'Open the page and sign in at the provider. Programs send the token of the server.',
    },
    identify(request) {
      const value = readCookie(request, name);
      if (value === undefined) return Promise.resolve({});
      const read = sessions.read(value);
      if (read.state === 'wrong') return Promise.resolve({ wrong: value });
      if (read.state === 'expired' || ended.has(read.value.id)) return Promise.resolve({});
      const { id, until, groups, ...person } = read.value;
      const folders = toFolders({ role: person.role, groups }, projects);
      return Promise.resolve({ identity: { ...person, folders, session: { id, until } } });
    },

    async begin({ address }, to) {
      const client = await provider.open();
      const state = randomBytes(32).toString('base64url');
      const url = oidc.buildAuthorizationUrl(client, {
        redirect_uri: `${address}${CALLBACK}`,
        scope,
        state,
        nonce: derive('nonce', state),
        code_challenge: await oidc.calculatePKCECodeChallenge(derive('verifier', state)),
        code_challenge_method: 'S256',
      });
      const value = requests.toValue({ state, to, until: Date.now() + REQUEST_MS });
      return { location: url.href, cookies: [toRequestCookie(value, REQUEST_MS / 1_000)] };
    },

    async complete(visit): Promise<Redirect> {
      const read = requests.read(readCookie(visit.request, `${name}-request`) ?? '');
      if (read.state !== 'valid' || ended.has(read.value.state)) {
        throw new SignInFailure('stale', 'The browser has no open sign-in, or another one.');
      }
      const { state, to, until } = read.value;
      const { pathname, search } = new URL(visit.request.url ?? '/', visit.address);
      const url = new URL(`${visit.address}${pathname}${search}`);
      if (url.searchParams.get('state') !== state) {
        throw new SignInFailure('stale', 'The answer of the provider belongs to another sign-in.');
      }
      ended.add({ id: state, until });
      const verifier = { pkceCodeVerifier: derive('verifier', state), expectedNonce: derive('nonce', state) };
      const claims = await readClaims(provider, url, {
        checks: { ...verifier, expectedState: state },
        needed: [nameClaim, rolesClaim],
      });
      const groups = toGroups(claims, rolesClaim);
      const role = toRole(groups, mapping);
      const person = toClaimedName(claims, nameClaim);
      if (role === undefined) throw new SignInFailure('no_role', `${person} has no role.`);
      const lasts = configuration.get('server.signInMs');
      const id = randomBytes(16).toString('base64url');
      const session = { id, name: person, role, groups: toNamedGroups(groups, projects), until: Date.now() + lasts };
      return {
        location: `/${to}`,
        cookies: [toCookie(sessions.toValue(session), Math.floor(lasts / 1_000)), toRequestCookie('', 0)],
        identity: { name: person, role },
      };
    },

    async end({ session }) {
      if (session !== undefined) ended.add(session);
      return { cookie: toCookie('', 0), ...(await findSignOut(provider)) };
    },
  };
}

interface Expected {
  checks: oidc.AuthorizationCodeGrantChecks;
  /** Claims that are read from the user info if the ID token lacks them. */
  needed: readonly string[];
}

/** @throws SignInFailure */
async function readClaims(provider: Provider, url: URL, { checks, needed }: Expected): Promise<Claims> {
  const client = await provider.open();
  try {
    const tokens = await oidc.authorizationCodeGrant(client, url, { ...checks, idTokenExpected: true });
    const claims = tokens.claims()!;
    const isComplete = needed.every((path) => readClaim(claims, path) !== undefined);
    if (isComplete || client.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await oidc.fetchUserInfo(client, tokens.access_token, claims.sub)), ...claims };
  } catch (error) {
    throw toFailure(error);
  }
}

/** Where a person also signs out at the provider. Nothing if it has no such address, or cannot be reached. */
async function findSignOut(provider: Provider): Promise<{ provider?: string }> {
  const client = await provider.open().catch(() => undefined);
  if (client?.serverMetadata().end_session_endpoint === undefined) return {};
  const url = oidc.buildEndSessionUrl(client);
  return /^https?:$/.test(url.protocol) ? { provider: url.href } : {};
}
