// Covers adapters/mcp/oauth-access.ts, adapters/mcp/oauth.ts: which addresses a login, and a session with one, reach.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMcpConfiguration } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { startHttpServer } from './http-server.ts';

/** A session with a server, at which the user logs in. */
async function openScene(url: string, open: { headers?: Record<string, string> } = {}) {
  const engine = await createTestEngine({
    files: { '.mcp.json': JSON.stringify({ mcpServers: { web: { type: 'http', url, ...open } } }) },
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name: 'use_tool', input: { name: 'mcp__web__echo', input: {} } }] } },
      ],
      fallback: { text: 'Done.' },
    },
  });
  const { klaus, place } = engine;
  const mcp = openMcpConfiguration({
    cwd: place.workspace,
    env: { ...place.env, KLAUS_HOME: place.home, KLAUS_SANDBOX: 'host' },
  });
  await mcp.trust('web');
  const { signal } = new AbortController();
  return {
    logIn: () => mcp.logIn('web', { signal, onUrl: (address) => void fetch(address) }),
    test: () => mcp.test('web', { signal }),
    logins: () => readFileSync(join(place.home, 'mcp-logins.json'), 'utf8'),
    async call(grant?: string) {
      const session = await klaus.open({ trustCommand: true, ...(grant === undefined ? {} : { grant }) });
      await session.prompt('go');
      await session.advance();
      const [finished] = ofType(await Array.fromAsync(session.events()), 'tool.finished');
      return finished!;
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

test('a session asks no address for a login that the server names later, and keeps its client', async () => {
  using other = await startHttpServer({ access: 'oauth' });
  let named: string | undefined;
  using server = await startHttpServer({ access: 'oauth', metadata: () => named });
  await using scene = await openScene(server.url);
  await scene.logIn();
  const before = (JSON.parse(scene.logins()) as Record<string, { text: string }>)[`web ${server.url}`]!.text;
  for (const address of [
    new URL('/.well-known/oauth-protected-resource/mcp', other.url).href,
    new URL('/latest/meta-data/', other.url).href,
  ]) {
    named = address;
    server.tokens.clear();
    server.refreshTokens.clear();
    expect(await scene.call()).toMatchObject({ outcome: 'error', detail: { code: 'auth' } });
    expect((await scene.call()).output).toContain('klaus mcp login web');
    await expect(scene.test()).rejects.toMatchObject({ code: 'auth' });
  }
  expect(other.requests).toEqual([]);
  expect(server.requests.filter(({ path }) => path === 'POST /register')).toHaveLength(1);
  const after = (JSON.parse(scene.logins()) as Record<string, { text: string }>)[`web ${server.url}`]!.text;
  expect((JSON.parse(after) as { client: object }).client).toEqual((JSON.parse(before) as { client: object }).client);
});

test('a metadata document of the server that names another authorization server is not followed', async () => {
  using other = await startHttpServer({ access: 'oauth' });
  let isHostile = false;
  using server = await startHttpServer({
    access: 'oauth',
    intercept(request, response) {
      if (!isHostile || !request.url!.startsWith('/.well-known/')) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      const authorization_servers = [new URL(other.url).origin];
      response.end(JSON.stringify({ resource: server.url, authorization_servers, token_endpoint: other.url }));
      return true;
    },
  });
  await using scene = await openScene(server.url);
  await scene.logIn();
  isHostile = true;
  server.tokens.clear();
  // It renews the token at the server of the login.
  expect(await scene.call()).toMatchObject({ outcome: 'ok' });
  server.tokens.clear();
  server.refreshTokens.clear();
  expect(await scene.call()).toMatchObject({ outcome: 'error', detail: { code: 'auth' } });
  expect(other.requests).toEqual([]);
});

test('another private authorization server is asked only if the grant names it, and without the headers of the server', async () => {
  const keys: unknown[] = [];
  using issuer = await startHttpServer({
    access: 'oauth',
    intercept({ headers }) {
      keys.push(headers['x-key']);
      return false;
    },
  });
  using server = await startHttpServer({
    access: 'oauth',
    intercept(request, response) {
      if (!request.url!.startsWith('/.well-known/')) return false;
      const authorization_servers = [new URL(issuer.url).origin];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ resource: server.url, authorization_servers }));
      return true;
    },
  });
  await using scene = await openScene(server.url, { headers: { 'x-key': 'a-fixed-key' } });
  await scene.logIn();
  const asked = issuer.requests.length;
  expect(await scene.call()).toMatchObject({ outcome: 'error', detail: { code: 'denied' } });
  expect(issuer.requests).toHaveLength(asked);
  // The server accepts no token: what counts is that a new one is asked for.
  const ports = [server, issuer].map(({ url }) => `net(127.0.0.1, ${new URL(url).port})`).join(' · ');
  expect(await scene.call(`fs(., rw) · exec · tool(*) · ${ports}`)).toMatchObject({ outcome: 'error' });
  expect(issuer.requests.slice(asked).map(({ path }) => path)).toContain('POST /token');
  expect(keys.filter((key) => key !== undefined)).toEqual([]);
});

test('a login follows no redirect to an address that is not one of the web', async () => {
  let followed = 0;
  using server = await startHttpServer({
    access: 'oauth',
    intercept(request, response) {
      if (request.url === '/loop') followed++;
      else if (!request.url!.startsWith('/.well-known/')) return false;
      response.writeHead(302, { location: followed < 2 ? '/loop' : 'ftp://127.0.0.1/' }).end();
      return true;
    },
  });
  await using scene = await openScene(server.url);
  await expect(scene.logIn()).rejects.toMatchObject({ code: 'auth' });
  expect(followed).toBeGreaterThan(0);
});
