// Covers apps/server/access/sign-in: sign-in at a real OpenID Connect provider.
import { once } from 'node:events';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CookieBrowser, createCookieBrowser } from '../fixtures/cookie-browser.ts';
import { type OidcProvider, type People, startOidcProvider } from '../fixtures/oidc-provider.ts';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';

const CALLBACK = '/api/sign-in/callback';
const toPerson = (name: string, groups: readonly string[]) => ({
  ...{ email: `${name}@example.com`, email_verified: true, groups },
});
const PEOPLE: People = {
  alice: toPerson('alice', ['klaus-admins', 'staff']),
  bob: toPerson('bob', ['staff']),
  carol: toPerson('carol', ['readers']),
  dan: toPerson('dan', ['others']),
};
const ROLES = 'klaus-admins=admin,staff=operator,readers=viewer';

interface Place extends AsyncDisposable {
  it: TestServer;
  provider: OidcProvider;
  warnings: { text: string; fields: unknown }[];
}

interface PlaceOptions {
  env?: Record<string, string>;
  /** The issuer in the settings, from that of the provider. */
  toIssuer?: (issuer: string) => string;
  clockMs?: number;
  people?: People;
}

async function startPlace(options: PlaceOptions = {}): Promise<Place> {
  const { env = {}, toIssuer = (it) => it, clockMs = 0, people = PEOPLE } = options;
  const provider = await startOidcProvider(people, clockMs);
  const warnings: Place['warnings'] = [];
  const it = await startTestServer({
    onWarning: (text, fields) => void warnings.push({ text, fields }),
    env: {
      KLAUS_SERVER_SIGN_IN: 'oidc',
      KLAUS_SERVER_ROLES: ROLES,
      KLAUS_OIDC_ISSUER: toIssuer(provider.issuer),
      KLAUS_OIDC_CLIENT_ID: provider.clientId,
      KLAUS_OIDC_CLIENT_SECRET: provider.clientSecret,
      ...env,
    },
  });
  await provider.open(`${it.server.url}${CALLBACK}`);
  return {
    ...{ it, provider, warnings },
    async [Symbol.asyncDispose]() {
      await it[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

/** Goes to the provider and back, up to the address of the callback. */
async function returnWithCode({ it }: Place, browser: CookieBrowser, name = 'alice', to = '#/'): Promise<URL> {
  const start = `${it.server.url}/api/sign-in/start?to=${encodeURIComponent(to)}`;
  return browser.run(start, { fields: { login: name, password: 'x' }, end: `${it.server.url}/` });
}

/** Where the server sends the browser that comes with this address. */
async function complete(browser: CookieBrowser, callback: URL | string): Promise<string | null> {
  const response = await browser.visit(String(callback));
  expect(response.status).toBe(302);
  return response.headers.get('location');
}

async function signIn(place: Place, name: string): Promise<CookieBrowser> {
  const browser = createCookieBrowser();
  expect(await complete(browser, await returnWithCode(place, browser, name))).toBe('/#/');
  return browser;
}

async function readState({ it }: Place, browser: CookieBrowser): Promise<unknown> {
  const { signedIn } = (await (await browser.visit(`${it.server.url}/api/sign-in`)).json()) as { signedIn: unknown };
  return signedIn;
}

const sessionsOf = async ({ it }: Place, browser: CookieBrowser): Promise<number> =>
  (await browser.visit(`${it.server.url}/api/sessions`)).status;

let place: Place;
beforeAll(async () => {
  place = await startPlace();
});
afterAll(() => place?.[Symbol.asyncDispose]());

test('signs a person in with the role of its groups, and returns to the page that it wanted', async () => {
  const browser = createCookieBrowser();
  expect(await sessionsOf(place, browser)).toBe(401);
  const callback = await returnWithCode(place, browser, 'alice', '#/s/01ABC/changes?line=3');
  expect(callback.pathname).toBe(CALLBACK);
  const response = await browser.visit(callback.href);
  expect(response.headers.get('location')).toBe('/#/s/01ABC/changes?line=3');
  const name = `klaus-${new URL(place.it.server.url).port}`;
  const set = response.headers.getSetCookie().find((line) => line.startsWith(`${name}=`));
  expect(set).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  expect([...browser.cookies.keys()].filter((key) => key.startsWith('klaus-'))).toEqual([name]);
  expect(await readState(place, browser)).toEqual({
    name: 'alice@example.com',
    role: 'admin',
    until: expect.any(Number),
  });
  expect(await sessionsOf(place, browser)).toBe(200);
});

test('the groups decide about the role, and without one the person is refused', async () => {
  for (const [name, role] of [
    ['bob', 'operator'],
    ['carol', 'viewer'],
  ] as const) {
    expect(await readState(place, await signIn(place, name))).toMatchObject({ name: `${name}@example.com`, role });
  }
  const browser = createCookieBrowser();
  expect(await complete(browser, await returnWithCode(place, browser, 'dan'))).toBe('/#sign-in=no_role');
  expect(await readState(place, browser)).toBeNull();
});

test('an e-mail address that the provider did not verify gives no role and no name', async () => {
  const email = 'root@example.com';
  const people = { owner: { email, email_verified: true }, mallory: { email, email_verified: false } };
  const env = { KLAUS_OIDC_ROLES_CLAIM: 'email', KLAUS_SERVER_ROLES: 'root@example.com=admin' };
  await using place = await startPlace({ people, env });
  const browser = createCookieBrowser();
  expect(await complete(browser, await returnWithCode(place, browser, 'mallory'))).toBe('/#sign-in=no_role');
  expect(await readState(place, await signIn(place, 'owner'))).toMatchObject({ role: 'admin' });
  await using other = await startPlace({ people, env: { KLAUS_SERVER_ROLES: '*=viewer' } });
  expect(await readState(other, await signIn(other, 'mallory'))).toMatchObject({ name: 'mallory', role: 'viewer' });
});

describe('refuses', () => {
  test('a wrong state, an answer in another browser, and one without a sign-in', async () => {
    const browser = createCookieBrowser();
    const callback = await returnWithCode(place, browser);
    const wrong = new URL(callback);
    wrong.searchParams.set('state', 'x'.repeat(43));
    expect(await complete(browser, wrong)).toBe('/#sign-in=stale');
    wrong.searchParams.delete('state');
    expect(await complete(browser, wrong)).toBe('/#sign-in=stale');
    // An attacker who signs a victim in as itself: the victim has no cookie, or that of its own request.
    const victim = createCookieBrowser();
    expect(await complete(victim, callback)).toBe('/#sign-in=stale');
    await returnWithCode(place, victim, 'bob');
    expect(await complete(victim, callback)).toBe('/#sign-in=stale');
    expect(await readState(place, victim)).toBeNull();
    expect(await complete(browser, callback)).toBe('/#/');
  });

  test('a code that was used, by this server and by the provider', async () => {
    const browser = createCookieBrowser();
    const callback = await returnWithCode(place, browser);
    const request = [...browser.cookies].find(([name]) => name.endsWith('-request'))!;
    expect(await complete(browser, callback)).toBe('/#/');
    browser.cookies.clear();
    browser.cookies.set(...request);
    expect(await complete(browser, callback)).toBe('/#sign-in=stale');
    // The same code in a request of its own.
    const second = await returnWithCode(place, browser);
    second.searchParams.set('code', callback.searchParams.get('code')!);
    expect(await complete(browser, second)).toBe('/#sign-in=invalid');
    expect(await readState(place, browser)).toBeNull();
  });

  test('an expired ID token', async () => {
    await using place = await startPlace({ clockMs: -3_600_000 });
    const browser = createCookieBrowser();
    expect(await complete(browser, await returnWithCode(place, browser))).toBe('/#sign-in=invalid');
    expect(JSON.stringify(place.warnings)).toContain('JWT_TIMESTAMP_CHECK');
    expect(await readState(place, browser)).toBeNull();
  });

  test('a provider with another issuer, and an answer of another one', async () => {
    await using wrong = await startPlace({ toIssuer: (issuer) => issuer.replace('localhost', '127.0.0.1') });
    const browser = createCookieBrowser();
    expect(await complete(browser, `${wrong.it.server.url}/api/sign-in/start`)).toBe('/#sign-in=invalid');
    const callback = await returnWithCode(place, browser);
    callback.searchParams.set('iss', 'https://evil.example');
    expect(await complete(browser, callback)).toBe('/#sign-in=invalid');
    expect(await readState(place, browser)).toBeNull();
  });

  test('a person whom the provider refuses', async () => {
    const browser = createCookieBrowser();
    const callback = await returnWithCode(place, browser);
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'access_denied');
    expect(await complete(browser, callback)).toBe('/#sign-in=refused');
  });
});

test('reports a provider that is down, at the start and at the return', async () => {
  await using place = await startPlace();
  const browser = createCookieBrowser();
  const callback = await returnWithCode(place, browser);
  await place.provider.close();
  expect(await complete(browser, callback)).toBe('/#sign-in=unreachable');
  await using down = await startPlace();
  await down.provider.close();
  const start = `${down.it.server.url}/api/sign-in/start`;
  expect(await complete(browser, start)).toBe('/#sign-in=unreachable');
  // Programs and the Unix socket do not need the provider.
  expect((await down.it.client.sessions()).sessions).toEqual([]);
  expect((await rawRequest({ socket: down.it.server.socket! }, { path: '/api/sessions' })).status).toBe(200);
});

test('a sign-out ends the cookie and its streams, and no other', async () => {
  const browser = await signIn(place, 'alice');
  const other = await signIn(place, 'bob');
  const cookies = new Map(browser.cookies);
  const stream = await browser.visit(`${place.it.server.url}/api/events`);
  const open = await other.visit(`${place.it.server.url}/api/events`);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const socket = io(place.it.server.url, { extraHeaders: { cookie }, transports: ['websocket'], reconnection: false });
  await once(socket as never, 'connect');
  const disconnected = once(socket as never, 'disconnect');
  const response = await browser.visit(`${place.it.server.url}/api/sign-out`, { method: 'POST' });
  const answer = (await response.json()) as { provider: string };
  expect(new URL(answer.provider).origin).toBe(place.provider.issuer);
  expect(response.headers.getSetCookie()[0]).toContain('Max-Age=0');
  // The stream and the socket end without a close by the client.
  await stream.text();
  expect(await disconnected).toEqual(['io server disconnect', undefined]);
  await open.body!.cancel();
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  expect(await sessionsOf(place, browser)).toBe(401);
  expect(await sessionsOf(place, other)).toBe(200);
});

test('cookies that are forged, changed or of another server are refused and limited', async () => {
  await using place = await startPlace();
  const browser = await signIn(place, 'carol');
  const [name, value] = [...browser.cookies].find(([key]) => key.startsWith('klaus-'))!;
  const [text = '', signature = ''] = value.split('.');
  const content = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  const encode = (change: object): string =>
    Buffer.from(JSON.stringify({ ...content, ...change })).toString('base64url');
  const forged = [
    `${encode({ role: 'admin' })}.${signature}`,
    `${encode({ until: Date.now() + 1e12 })}.${signature}`,
    `${encode({ role: 'admin' })}.`,
    encode({ role: 'admin' }),
    `${text}.${signature}.${signature}`,
    `${text}.${signature.slice(1)}`,
    `.${signature}`,
    '.',
    'null.null',
    // That of the sign-in with the token.
    place.it.server.token,
  ];
  for (const each of forged) {
    browser.cookies.set(name, each);
    expect({ each, status: await sessionsOf(place, browser) }).toEqual({ each, status: 401 });
  }
  // The cookie of a request to the provider is signed too, for another purpose.
  browser.cookies.clear();
  await returnWithCode(place, browser);
  const [, request] = [...browser.cookies].find(([key]) => key.endsWith('-request'))!;
  browser.cookies.set(name, request);
  expect(await sessionsOf(place, browser)).toBe(401);
  for (let at = 0; at < 20; at++) {
    browser.cookies.set(name, `${text}.guess-${at}`);
    await sessionsOf(place, browser);
  }
  expect(await sessionsOf(place, browser)).toBe(401);
  browser.cookies.set(name, `${text}.one-more`);
  expect(await sessionsOf(place, browser)).toBe(429);
});

test('answers of a provider that are guessed are limited', async () => {
  await using place = await startPlace();
  const browser = createCookieBrowser();
  const callback = `${place.it.server.url}${CALLBACK}`;
  for (let at = 0; at < 20; at++) {
    // A request of its own each time, with a code that the provider does not know.
    const start = await browser.visit(`${place.it.server.url}/api/sign-in/start`);
    const state = new URL(start.headers.get('location')!).searchParams.get('state')!;
    const query = new URLSearchParams({ state, code: `guess-${at}`, iss: place.provider.issuer });
    expect(await complete(browser, `${callback}?${query.toString()}`)).toBe('/#sign-in=invalid');
  }
  const { status, headers } = await browser.visit(callback);
  expect({ status, hasTime: headers.has('retry-after') }).toEqual({ status: 429, hasTime: true });
});

test('the address to return to is a fragment of this page, nothing else', async () => {
  const wrong = ['https://evil.example', '//evil.example', '/\\evil.example', '#token=x', '#sign-in=x', 'javascript:1'];
  for (const to of [...wrong, '#/\r\nx: y', '@evil.example', '#//evil.example/<']) {
    const browser = createCookieBrowser();
    const response = await browser.visit(`${place.it.server.url}/api/sign-in/start?to=${encodeURIComponent(to)}`);
    expect({ to, status: response.status }).toEqual({ to, status: 400 });
    expect(response.headers.get('location')).toBeNull();
  }
});

test('a browser cannot exchange the token, and another kind of server does not redirect', async () => {
  const { url, token } = place.it.server;
  const body = JSON.stringify({ token });
  const headers = { 'content-type': 'application/json' };
  const exchange = await rawRequest(place.it.server, { method: 'POST', path: '/api/sign-in', headers, body });
  expect({ status: exchange.status, body: JSON.parse(exchange.body) as object }).toMatchObject({
    status: 409,
    body: { code: 'config' },
  });
  expect(place.it.server.isTokenForBrowsers).toBe(false);
  await using it = await startTestServer();
  for (const path of ['start', 'callback']) {
    expect((await rawRequest(it.server, { path: `/api/sign-in/${path}` })).status).toBe(409);
  }
  expect(url).not.toBe(it.server.url);
});

test('a person sees the projects of the groups that the provider names', async () => {
  const env = { KLAUS_SERVER_PROJECTS: 'readers=/srv/elsewhere,others=/srv/others' };
  await using other = await startPlace({ env });
  const { session } = await other.it.client.openSession({ body: {} });
  const read = async (browser: CookieBrowser, path: string): Promise<{ status: number; text: string }> => {
    const answer = await browser.visit(`${other.it.server.url}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  for (const [name, seen] of [
    ['alice', true],
    ['bob', false],
    ['carol', false],
  ] as const) {
    const browser = await signIn(other, name);
    expect((await read(browser, `/api/sessions/${session}`)).status).toBe(seen ? 200 : 404);
    expect((await read(browser, '/api/sessions')).text.includes(session)).toBe(seen);
  }
});
