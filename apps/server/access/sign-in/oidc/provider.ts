import { KlausError } from '@klaus/sdk';
import * as oidc from 'openid-client';
import { SignInFailure, type SignInOptions } from '../sign-in.ts';
import { limitedFetch } from './limited-fetch.ts';

/** Seconds for which one request to the provider may take. */
const TIMEOUT_SECONDS = 10;

export type Provider = ReturnType<typeof createProvider>;

/**
 * The provider of `server.oidcIssuer`. Its metadata is read on first use: the server starts although the provider is down.
 *
 * @throws KlausError `config` without an issuer or a client id.
 */
export function createProvider(configuration: SignInOptions['configuration']) {
  const issuer = configuration.get('server.oidcIssuer');
  const clientId = configuration.get('server.oidcClientId');
  if (issuer === undefined || clientId === undefined) {
    throw new KlausError('config', 'The sign-in `oidc` needs a provider.', {
      hint: 'Set KLAUS_OIDC_ISSUER and KLAUS_OIDC_CLIENT_ID.',
    });
  }
  const clientSecret = configuration.get('server.oidcClientSecret');
  const isPlain = issuer.startsWith('http:');
  let known: Promise<oidc.Configuration> | undefined;
  const discover = (): Promise<oidc.Configuration> =>
    oidc.discovery(new URL(issuer), clientId, undefined, toClientAuthentication(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      [oidc.customFetch]: limitedFetch,
      // The signature of an ID token is checked, in addition to the TLS of its endpoint.
      // oxlint-disable-next-line typescript/no-deprecated -- the setting allows plain HTTP to this machine only
      execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
    });
  return {
    issuer,
    clientId,
    /** @throws SignInFailure `unreachable`, or `invalid` for metadata of another issuer. */
    async open(): Promise<oidc.Configuration> {
      known ??= discover();
      try {
        return await known;
      } catch (error) {
        known = undefined;
        throw toFailure(error);
      }
    },
  };
}

/** Basic authentication, which every provider supports by default; the body for one that lists it without Basic. */
function toClientAuthentication(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
    return (isPost ? post : basic)(server, ...rest);
  };
}

/** Errors of the provider by what a person can do about them. */
export function toFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  const { message, code, cause } = error as Error & { code?: string };
  const detail = [code, message, cause instanceof Error ? cause.message : ''].filter(Boolean).join(': ');
  const options = { cause: error };
  if (error instanceof oidc.AuthorizationResponseError) {
    return new SignInFailure('refused', `The provider refused the sign-in: ${error.error}`, options);
  }
  const isDown = cause instanceof Response && cause.status >= 500;
  // `fetch` throws a TypeError if there is no connection. Those of the library have a code.
  if (isDown || code === 'OAUTH_TIMEOUT' || (error instanceof TypeError && code === undefined)) {
    return new SignInFailure('unreachable', `The provider cannot be reached: ${detail}`, options);
  }
  return new SignInFailure('invalid', `The provider gave an invalid answer: ${detail}`, options);
}
