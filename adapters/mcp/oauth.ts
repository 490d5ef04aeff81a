import { headOf } from '@klaus/core/cut-text';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { protectPort } from '@klaus/adapters/system';
import { KlausError, messageOf } from '@klaus/core/protocol';
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { checkSessionAddress, createLoginFetch, isAcceptedAddress, type AllowsPlace } from './oauth-access.ts';
import { LOGIN_PAGE_HEADERS, toLoginPage } from './messages/login-page.ts';

/** Milliseconds that the user has to log in. */
const LOGIN_MS = 300_000;
/** Milliseconds of one request to the authorization server. */
const REQUEST_MS = 30_000;

/** Where the login of one server is stored: a text that is secret. */
export interface LoginStore {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

const loginSchema = z.object({
  client: z.looseObject({ client_id: z.string() }).optional(),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }).optional(),
  /** The authorization server at which the user logged in. */
  discovery: z.looseObject({ authorizationServerUrl: z.string() }).optional(),
});
type Login = z.infer<typeof loginSchema>;

/** True if a login is complete. */
export function hasTokens(text: string): boolean {
  return loginSchema.parse(JSON.parse(text)).tokens !== undefined;
}

/** The tokens of a login as values that are secret. */
export function toLoginSecrets(text: string): string[] {
  const { client, tokens } = loginSchema.parse(JSON.parse(text));
  const values = [tokens?.access_token, tokens?.['refresh_token'], client?.['client_secret']];
  return values.filter((value) => typeof value === 'string');
}

const LOCAL_CALLBACK = 'http://127.0.0.1/callback';

function toClientMetadata(redirectUrl: string): OAuthClientProvider['clientMetadata'] {
  return {
    client_name: 'Klaus',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

function openLogin(store: LoginStore) {
  const read = async (): Promise<Login> => {
    const text = await store.read();
    return text === undefined ? {} : loginSchema.parse(JSON.parse(text));
  };
  const change = async (change: Login): Promise<void> => store.write(JSON.stringify({ ...(await read()), ...change }));
  return { read, change };
}

/** The client of an authorization server during a login. Registers itself. */
function createLoginProvider(
  store: LoginStore,
  login: { redirectUrl: string; state: string; onRedirect: (url: URL) => void },
): OAuthClientProvider {
  const { read, change } = openLogin(store);
  let verifier = '';
  let discovery: OAuthDiscoveryState | undefined;
  return {
    redirectUrl: login.redirectUrl,
    clientMetadata: toClientMetadata(login.redirectUrl),
    state: () => login.state,
    // A registration is for one redirect address, so that each login registers again.
    clientInformation: async () => (await read()).client as StoredOAuthClientInformation | undefined,
    saveClientInformation: (client) => change({ client: client as Login['client'] }),
    tokens: async () => (await read()).tokens as StoredOAuthTokens | undefined,
    // With the tokens, the user has accepted the authorization server.
    saveTokens: (tokens) => change({ tokens: tokens as Login['tokens'], discovery: discovery as Login['discovery'] }),
    redirectToAuthorization: (url) => login.onRedirect(url),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    // The code is only sent to the authorization server to which the user was sent.
    saveDiscoveryState: (state) => void (discovery = state),
    discoveryState: () => discovery,
    async invalidateCredentials(scope) {
      if (scope === 'all' || scope === 'client') await change({ client: undefined });
      if (scope === 'all' || scope === 'tokens') await change({ tokens: undefined });
    },
  };
}

/** The stored login of a server, in a session. */
export interface SessionLogin {
  provider: OAuthClientProvider;
  /**
   * Checks an address that is not of the origin of the server.
   *
   * @throws KlausError `auth` for one that the user did not accept with the login, `denied` for a private one.
   */
  check(at: URL): Promise<void>;
}

/**
 * A stored login for the requests of a session. It renews tokens at the authorization server at which the user logged
 * in; it starts no login, registers no client and accepts no other authorization server.
 *
 * @param options.allows Default: every place, because the user names the server.
 */
export function createSessionLogin(
  store: LoginStore,
  { name, allows = () => true }: { name: string; allows?: AllowsPlace },
): SessionLogin {
  const { read, change } = openLogin(store);
  const readAccepted = async () => (await read()).discovery as OAuthDiscoveryState | undefined;
  let refused: KlausError | undefined;
  const again = (message: string): KlausError =>
    new KlausError('auth', message, { hint: `Log in again: \`klaus mcp login ${name}\`.` });
  return {
    async check(at) {
      refused = undefined;
      try {
        if (!isAcceptedAddress(at, await readAccepted()))
          throw again(`The MCP server ${name} names ${at.host} for its login, which you have not accepted.`);
        await checkSessionAddress(at, { name, allows });
      } catch (error) {
        if (error instanceof KlausError) refused = error;
        throw error;
      }
    },
    provider: {
      // It is only needed as a field.
      redirectUrl: LOCAL_CALLBACK,
      clientMetadata: toClientMetadata(LOCAL_CALLBACK),
      async clientInformation() {
        const { client } = await read();
        if (!client) throw again(`The MCP server ${name} needs a login.`);
        return client as StoredOAuthClientInformation;
      },
      // Without `saveClientInformation` the client of the library registers nothing.
      tokens: async () => (await read()).tokens as StoredOAuthTokens | undefined,
      saveTokens: (tokens) => change({ tokens: tokens as Login['tokens'] }),
      redirectToAuthorization() {
        // The library hides the reason why tokens could not be renewed.
        throw refused ?? again(`The MCP server ${name} needs a login.`);
      },
      saveCodeVerifier: () => {},
      codeVerifier: () => '',
      saveDiscoveryState: () => {},
      discoveryState: readAccepted,
      async invalidateCredentials(scope) {
        // The client stays: only a login replaces it.
        if (scope === 'all' || scope === 'client' || scope === 'tokens') await change({ tokens: undefined });
      },
    },
  };
}

export interface LoginOptions {
  name: string;
  url: string;
  store: LoginStore;
  /**
   * Shows the user the address of the login.
   *
   * @param answer Takes the address to which the browser was sent back, from a browser on another machine. False: it is
   *   not the answer of this login.
   */
  onUrl: (url: string, answer: (address: string) => boolean) => void;
  signal: AbortSignal;
}

/**
 * Logs in to a server: the user opens an address, and the authorization server sends the browser back to a port of this
 * machine. The tokens are in the store when it resolves.
 *
 * @throws KlausError `auth` if it is refused, `cancelled`, `timeout`, `mcp.failed`.
 */
export async function logInToServer({ name, url, store, onUrl, signal }: LoginOptions): Promise<void> {
  const state = randomBytes(24).toString('base64url');
  const { promise: answered, resolve, reject } = Promise.withResolvers<URL>();
  answered.catch(() => {});
  const take = (address: string): boolean => {
    const at = URL.parse(address, 'http://127.0.0.1');
    const isAnswer = at?.pathname === '/callback' && isEqual(at.searchParams.get('state') ?? '', state);
    if (isAnswer) resolve(at);
    return isAnswer;
  };
  const server = createServer((request, response) => {
    const isAnswer = take(request.url ?? '/');
    response.writeHead(isAnswer ? 200 : 404, { ...LOGIN_PAGE_HEADERS, connection: 'close' });
    response.end(toLoginPage(isAnswer ? 'Klaus has the answer. You can close this page.' : 'Not found.'));
  });
  protectPort(server).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const abort = (): void => reject(new KlausError('cancelled', 'The login was cancelled.'));
  const timer = setTimeout(
    () => reject(new KlausError('timeout', `There was no login within ${LOGIN_MS / 60_000} minutes.`)),
    LOGIN_MS,
  );
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const fetchFn = createLoginFetch(url, (target, init) =>
    fetch(target, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]) }),
  );
  try {
    await store.write('{}');
    const challenge = await readChallenge(url, fetchFn);
    const provider = createLoginProvider(store, { redirectUrl, state, onRedirect: (at) => onUrl(at.href, take) });
    if ((await auth(provider, { serverUrl: url, fetchFn, ...challenge })) === 'AUTHORIZED') return;
    const { searchParams } = await answered;
    const code = searchParams.get('code');
    if (code === null) {
      throw new KlausError('auth', `The login to ${name} was refused: ${searchParams.get('error') ?? 'no code'}.`);
    }
    const iss = searchParams.get('iss');
    await auth(provider, {
      serverUrl: url,
      authorizationCode: code,
      fetchFn,
      ...challenge,
      ...(iss === null ? {} : { iss }),
    });
  } catch (error) {
    if (error instanceof KlausError) throw error;
    if (signal.aborted) throw new KlausError('cancelled', 'The login was cancelled.');
    const text = messageOf(error);
    throw new KlausError('auth', `The login to the MCP server ${name} failed: ${headOf(text, 500)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    server.close();
    server.closeAllConnections();
  }
}

/** Where the server says that its authorization server is described, and the scope that it asks for. */
async function readChallenge(
  url: string,
  fetchFn: (target: string, init: RequestInit) => Promise<Response>,
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const answer = await fetchFn(url, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await answer.body?.cancel();
  const { resourceMetadataUrl, scope } = answer.status === 401 ? extractWWWAuthenticateParams(answer) : {};
  return { resourceMetadataUrl, scope };
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
