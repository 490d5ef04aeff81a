// Covers apps/server/access, apps/server/contract: access to every route.
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { createKlaus, isKlausError } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { startServer } from '../../apps/server/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { rawRequest, startTestServer, type RawAnswer, type TestServer } from '../fixtures/server.ts';

/** The only routes that need no sign-in; the page itself holds nothing of the user. */
const OPEN = new Set([
  'GET /health',
  'GET /api/sign-in',
  'POST /api/sign-in',
  'GET /api/sign-in/start',
  'GET /api/sign-in/callback',
  'GET /*',
]);

/** Every route of the router, once, with its parameters filled. */
function walk({ server }: TestServer): { method: string; path: string; isOpen: boolean }[] {
  const seen = new Map<string, { method: string; path: string; isOpen: boolean }>();
  for (const { method, path } of server.routes) {
    // The look at host and origin runs before all of them.
    if (method === 'ALL' && path === '/*') continue;
    const name = `${method} ${path}`;
    const filled = path.replace(/:\w+/g, 'x').replace(/\*$/, 'x/y');
    seen.set(name, { method: method === 'ALL' ? 'GET' : method, path: filled, isOpen: OPEN.has(name) });
  }
  return [...seen.values()];
}

const JSON_BODY = { headers: { 'content-type': 'application/json' }, body: '{}' };

describe('every route', () => {
  test('is refused without a token, except open routes', async () => {
    await using it = await startTestServer();
    const routes = walk(it);
    expect(routes.length).toBeGreaterThan(40);
    expect(routes.filter(({ isOpen }) => isOpen)).toHaveLength(OPEN.size);
    for (const { method, path, isOpen } of routes) {
      const answer = await rawRequest(it.server, {
        method,
        path,
        ...(method === 'POST' || method === 'PATCH' ? JSON_BODY : {}),
      });
      if (isOpen) expect(answer.status, path).not.toBe(401);
      else expect({ path, status: answer.status }).toEqual({ path, status: 401 });
    }
    const wrong = { authorization: `Bearer ${it.server.token}x` };
    for (const { method, path, isOpen } of routes) {
      if (isOpen) continue;
      const { status } = await rawRequest(it.server, { method, path, headers: wrong });
      expect({ path, isRefused: status === 401 || status === 429 }).toEqual({ path, isRefused: true });
    }
  });

  test.each([
    ['another host', { host: 'evil.example' }],
    ['another host with the right port', { host: 'klaus.evil.example:3001' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['no origin that can be named', { origin: 'null' }],
    ['the same name over TLS', { origin: 'https://127.0.0.1' }],
  ])('is refused with %s, regardless of the token', async (_, headers) => {
    await using it = await startTestServer();
    for (const { method, path } of walk(it)) {
      const answer = await rawRequest(it.server, {
        method,
        path,
        headers: { authorization: `Bearer ${it.server.token}`, ...headers },
      });
      expect({ path, status: answer.status }).toEqual({ path, status: 403 });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('lists the allowed methods, but not without a token', async () => {
    await using it = await startTestServer();
    const token = { authorization: `Bearer ${it.server.token}` };
    const known = new Map<string, Set<string>>();
    for (const { method, path } of it.server.routes) {
      if (method === 'ALL' || path === '/*') continue;
      const filled = path.replace(/:\w+/g, 'x').replace(/\*$/, 'x/y');
      known.set(filled, (known.get(filled) ?? new Set()).add(method));
    }
    expect(known.size).toBeGreaterThan(40);
    for (const [path, methods] of known) {
      const answer = await rawRequest(it.server, { method: 'PROPFIND', path, headers: token });
      const allowed = String(answer.headers['allow']).split(', ');
      expect({ path, status: answer.status }).toEqual({ path, status: 405 });
      expect(allowed, path).toEqual(expect.arrayContaining([...methods]));
      expect(allowed.includes('HEAD'), path).toBe(methods.has('GET'));
      expect(JSON.parse(answer.body), path).toMatchObject({ status: 405, code: 'method_not_allowed' });
      const stranger = await rawRequest(it.server, { method: 'PROPFIND', path });
      const isOpen = [...methods].some((method) => OPEN.has(`${method} ${path}`));
      expect({ path, status: stranger.status }).toEqual({ path, status: isOpen ? 405 : 401 });
      if (!isOpen) expect(stranger.headers['allow']).toBeUndefined();
    }
    const page = await rawRequest(it.server, { method: 'POST', path: '/' });
    expect({ status: page.status, allow: page.headers['allow'] }).toEqual({ status: 405, allow: 'GET, HEAD' });
    for (const [method, path, headers] of [
      ['GET', '/nothing', {}],
      ['GET', '/session/01ABC', {}],
      ['PROPFIND', '/nothing', {}],
      ['GET', '/api/nothing', token],
      ['PROPFIND', '/api/nothing', token],
    ] as const) {
      const { status, body } = await rawRequest(it.server, { method, path, headers });
      expect({ path, status, code: (JSON.parse(body) as { code: string }).code }).toEqual({
        path,
        status: 404,
        code: 'not_found',
      });
    }
  });

  test('no upgrade passes without a token, with another host or a foreign origin', async () => {
    await using it = await startTestServer();
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    const token = { authorization: `Bearer ${it.server.token}` };
    const paths = ['/', '/socket.io/?EIO=4&transport=websocket', '/ws/chat/klaus', '/api/events', '/nothing'];
    for (const path of paths) {
      for (const headers of [{}, { ...token, host: 'evil.example' }, { ...token, origin: 'https://evil.example' }]) {
        const answer = await rawRequest(it.server, { path, headers: { ...upgrade, ...headers } });
        expect({ path, upgraded: answer.upgraded }).toEqual({ path, upgraded: false });
      }
    }
  });
});

test('signs a browser in by a cookie that it cannot read, and out again', async () => {
  await using it = await startTestServer();
  const signIn = (token: string) =>
    rawRequest(it.server, {
      method: 'POST',
      path: '/api/sign-in',
      headers: JSON_BODY.headers,
      body: JSON.stringify({ token }),
    });
  expect((await signIn('wrong')).status).toBe(401);
  const answer = await signIn(it.server.token);
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(it.server.token);
  const headers = { cookie: cookie.split(';')[0]! };
  expect((await rawRequest(it.server, { path: '/api/sessions', headers })).status).toBe(200);
  const out = await rawRequest(it.server, { method: 'POST', path: '/api/sign-out', headers });
  expect(out.headers['set-cookie']?.[0]).toContain('Max-Age=0');
});

test('trusts a proxy only if configured', async () => {
  for (const isTrusted of [false, true]) {
    await using it = await startTestServer({ env: { AGENT_TRUST_PROXY: String(isTrusted) } });
    const { host } = new URL(it.server.url);
    const headers = { ...JSON_BODY.headers, 'x-forwarded-proto': 'https', origin: `https://${host}` };
    const body = JSON.stringify({ token: it.server.token });
    const answer = await rawRequest(it.server, { method: 'POST', path: '/api/sign-in', headers, body });
    expect(answer.status).toBe(isTrusted ? 200 : 403);
    if (isTrusted) expect(answer.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
  }
});

test('takes a host in AGENT_CORS_ORIGIN for both of its origins', async () => {
  await using it = await startTestServer({ env: { AGENT_CORS_ORIGIN: 'localhost:5173' } });
  const authorization = `Bearer ${it.server.token}`;
  const ask = async (origin: string) =>
    (await rawRequest(it.server, { path: '/api/sessions', headers: { origin, authorization } })).status;
  expect(await ask('http://localhost:5173')).toBe(200);
  expect(await ask('https://localhost:5173')).toBe(200);
  expect(await ask('http://localhost:5174')).toBe(403);
});

test('lets the pages of AGENT_CORS_ORIGIN in, and their host name', async () => {
  await using it = await startTestServer({ env: { AGENT_CORS_ORIGIN: 'http://localhost:5173,https://klaus.example' } });
  const headers = { origin: 'http://localhost:5173', authorization: `Bearer ${it.server.token}` };
  const answer = await rawRequest(it.server, { path: '/api/sessions', headers });
  expect(answer.status).toBe(200);
  expect(answer.headers['access-control-allow-origin']).toBe('http://localhost:5173');
  const preflight = await rawRequest(it.server, {
    method: 'OPTIONS',
    path: '/api/sessions',
    headers: { origin: headers.origin },
  });
  expect({ status: preflight.status, allowed: preflight.headers['access-control-allow-headers'] }).toEqual({
    status: 204,
    allowed: expect.stringContaining('authorization'),
  });
  const named = await rawRequest(it.server, { path: '/health', headers: { host: 'klaus.example' } });
  expect(named.status).toBe(200);
  const other = await rawRequest(it.server, { path: '/health', headers: { origin: 'http://localhost:5174' } });
  expect(other.status).toBe(403);
});

test('serves the Unix socket to this user alone, without a token', async () => {
  await using it = await startTestServer();
  const socket = it.server.socket!;
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(it.server.tokenFile!).mode & 0o777).toBe(0o600);
  expect((await rawRequest({ socket }, { path: '/api/sessions' })).status).toBe(200);
  // A page cannot reach a socket; what says it comes from one is not believed.
  expect(
    (await rawRequest({ socket }, { path: '/api/sessions', headers: { origin: 'https://evil.example' } })).status,
  ).toBe(403);
});

test('keeps its token over a restart, and takes AGENT_API_SECRET in its place', async () => {
  using place = createTestHome();
  const start = async (env: Record<string, string>) => {
    const klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: { ...place.env, ...env } });
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const server = await startServer({ klaus, port: 0, log, version: 'test' });
    await server.close();
    await klaus.close();
    return server;
  };
  const first = await start({});
  expect(first.token.length).toBeGreaterThan(40);
  expect((await start({})).token).toBe(first.token);
  const own = await start({ AGENT_API_SECRET: 'my-own-secret' });
  expect({ token: own.token, file: own.tokenFile }).toEqual({ token: 'my-own-secret', file: null });
});

test('refuses an address that others reach without a secret, and a second server of one state folder', async () => {
  await expect(startTestServer({ host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'config',
    hint: expect.stringContaining('AGENT_API_SECRET'),
  });
  await using it = await startTestServer({ host: '0.0.0.0', env: { AGENT_API_SECRET: 'a-long-secret' } });
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const second = await startServer({ klaus: it.klaus, port: 0, log, version: 'test' }).catch((error: unknown) => error);
  expect(isKlausError(second) && second.code).toBe('store.busy');
});

test('refuses bodies that are too large, not JSON or invalid', async () => {
  await using it = await startTestServer();
  const authorization = `Bearer ${it.server.token}`;
  const post = (body: string, type = 'application/json') =>
    rawRequest(it.server, {
      method: 'POST',
      path: '/api/sessions',
      headers: { authorization, 'content-type': type },
      body,
    });
  expect((await post(JSON.stringify({ text: 'x'.repeat(33 * 1_024 * 1_024) }))).status).toBe(413);
  expect((await post('text=x', 'application/x-www-form-urlencoded')).status).toBe(415);
  expect((await post('{')).status).toBe(400);
  const answer = await post(JSON.stringify({ mode: 'everything' }));
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(answer.body)).toMatchObject({ status: 400, code: 'usage', errors: [{ path: 'mode' }] });
  const missing = await rawRequest(it.server, { path: '/api/sessions/01NONE', headers: { authorization } });
  expect(JSON.parse(missing.body)).toMatchObject({
    status: 404,
    code: 'usage',
    title: expect.stringContaining('01NONE'),
  });
});

test('sends the headers that keep a page to itself', async () => {
  await using it = await startTestServer();
  const { headers } = await rawRequest(it.server, { path: '/' });
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['content-security-policy']).not.toContain('unsafe');
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test('a client that guesses tokens must wait, and no other client', async () => {
  await using it = await startTestServer();
  const tryToken = (token: string, path = '/api/settings') =>
    rawRequest(it.server, { path, headers: { authorization: `Bearer ${token}` } });
  for (let at = 0; at < 20; at++) expect((await tryToken(`guess-${at}`)).status).toBe(401);
  expect((await tryToken(it.server.token)).status).toBe(429);
  const body = JSON.stringify({ token: it.server.token });
  const signIn = { method: 'POST', path: '/api/sign-in', headers: JSON_BODY.headers, body };
  expect((await rawRequest(it.server, signIn)).status).toBe(429);
  expect((await rawRequest({ socket: it.server.socket! }, { path: '/api/settings' })).status).toBe(200);
});

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

/** Ways to try a token out. */
const WAYS: Record<string, (it: TestServer, token: string) => Promise<RawAnswer>> = {
  'a bearer token': ({ server }, token) =>
    rawRequest(server, { path: '/api/settings', headers: { authorization: `Bearer ${token}` } }),
  'a cookie': ({ server }, token) => {
    const name = `klaus-${new URL(server.url).port}`;
    return rawRequest(server, { path: '/api/settings', headers: { cookie: `${name}=${token}` } });
  },
  'the sign-in': ({ server }, token) =>
    rawRequest(server, { method: 'POST', path: '/api/sign-in', ...JSON_BODY, body: JSON.stringify({ token }) }),
  'Socket.IO': ({ server }, token) =>
    rawRequest(server, {
      path: '/socket.io/?EIO=4&transport=polling',
      headers: { authorization: `Bearer ${token}` },
    }),
  'an upgrade of the chat': ({ server }, token) =>
    rawRequest(server, { path: '/ws/chat/klaus', headers: { ...UPGRADE, authorization: `Bearer ${token}` } }),
};

test.each(Object.entries(WAYS))('tokens that are guessed by %s are limited, by every way', async (_, guess) => {
  await using it = await startTestServer();
  expect((await WAYS['a bearer token']!(it, it.server.token)).status).toBe(200);
  for (let at = 0; at < 20; at++) expect((await guess(it, `guess-${at}`)).status).toBe(401);
  for (const [name, way] of Object.entries(WAYS)) {
    const { status, headers } = await way(it, 'one-more');
    const after = Number(headers['retry-after']);
    expect({ name, status, isTime: after > 0 && after <= 60 }).toEqual({ name, status: 429, isTime: true });
  }
  // Who has worked from there is not kept out.
  expect((await WAYS['a bearer token']!(it, it.server.token)).status).toBe(200);
  expect((await WAYS['the sign-in']!(it, it.server.token)).status).toBe(200);
});

test('a page with an old cookie is asked to sign in, however often it asks', async () => {
  await using it = await startTestServer();
  for (let at = 0; at < 50; at++) expect((await WAYS['a cookie']!(it, 'of-yesterday')).status).toBe(401);
});

test('what a client says of its address behind a proxy does not get it around the limit', async () => {
  await using it = await startTestServer({ env: { AGENT_TRUST_PROXY: 'true' } });
  const guess = (at: number) =>
    rawRequest(it.server, {
      path: '/api/settings',
      headers: { authorization: `Bearer guess-${at}`, 'x-forwarded-for': `10.0.0.${at}, 203.0.113.7` },
    });
  for (let at = 0; at < 20; at++) expect((await guess(at)).status).toBe(401);
  expect((await guess(21)).status).toBe(429);
});

/** Sends lines as they are. @returns The status of the answer. */
async function sendLines({ server }: TestServer, lines: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
  let text = '';
  for await (const piece of socket) text += String(piece);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
}

test('a request that says two things about where it goes or who sends it is refused', async () => {
  await using it = await startTestServer();
  const { host } = new URL(it.server.url);
  const token = `Authorization: Bearer ${it.server.token}`;
  const end = 'Connection: close';
  const ok = ['GET /api/settings HTTP/1.1', `Host: ${host}`, token, end];
  expect(await sendLines(it, ok)).toBe(200);
  expect(await sendLines(it, [`GET http://${host}/api/settings HTTP/1.1`, ...ok.slice(1)])).toBe(200);
  const origin = `Origin: http://${host}`;
  const refused = [
    [...ok, 'Host: evil.example'],
    [...ok, `Host: ${host}`],
    [ok[0]!, 'host: evil.example', ...ok.slice(1)],
    [ok[0]!, token, end],
    [...ok, 'Authorization: Bearer wrong'],
    [...ok, 'aUTHORIZATION: Basic eDp5'],
    [...ok, origin, 'Origin: https://evil.example'],
    [...ok, origin, origin],
    ['GET http://evil.example/api/settings HTTP/1.1', ...ok.slice(1)],
    ['GET http://evil.example/socket.io/?EIO=4&transport=polling HTTP/1.1', ...ok.slice(1)],
    ['GET /socket.io/?EIO=4&transport=polling HTTP/1.1', ...ok.slice(1), 'Host: evil.example'],
    ['GET /health HTTP/1.1', ...ok.slice(1), 'Host: evil.example'],
    ['GET / HTTP/1.1', ...ok.slice(1), 'Host: evil.example'],
  ];
  for (const lines of refused) expect({ lines, status: await sendLines(it, lines) }).toEqual({ lines, status: 400 });
  const upgrade = Object.entries({ ...UPGRADE, host: '' }).flatMap(([name, value]) =>
    value === '' ? [] : [`${name}: ${value}`],
  );
  for (const path of ['/ws/chat/klaus', '/socket.io/?EIO=4&transport=websocket']) {
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Host: evil.example', token, ...upgrade];
    expect({ path, status: await sendLines(it, lines) }).toEqual({ path, status: 400 });
  }
});
