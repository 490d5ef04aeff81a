// Covers adapters/mcp, sdk/mcp: MCP servers over HTTP, their addresses, tokens and limits.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openMcpConfiguration } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestHome } from '../fixtures/test-home.ts';
import { startHttpServer } from './http-server.ts';
import { runCalls, use } from './open-session.ts';

const echo = use('mcp__web__echo');

test('a server is used with its header, which is in no event', async () => {
  using server = await startHttpServer({ access: 'header' });
  const entry = { type: 'http', url: server.url, headers: { Authorization: 'Bearer ${MCP_TOKEN:-a-fixed-token}' } };
  await using run = await runCalls({ web: entry }, [use('mcp__web__send')]);
  expect(run.results).toMatchObject([{ outcome: 'ok', output: expect.stringContaining('called send') }]);
  expect(JSON.stringify(run.events)).not.toContain('a-fixed-token');
  expect(await run.session.replay()).toMatchObject({ outcome: 'equal' });
});

test('after a result of a server, the session asks before it sends anything to it', async () => {
  using server = await startHttpServer();
  await using run = await runCalls({ web: { type: 'http', url: server.url } }, [echo, echo]);
  expect(run.results.map(({ outcome }) => outcome)).toEqual(['ok', 'denied']);
  expect(run.events).toContainEqual(expect.objectContaining({ type: 'gate.decided', verdict: 'ask', rule: 'taint' }));
});

test('a grant that does not name the address allows no request', async () => {
  using server = await startHttpServer();
  await using run = await runCalls({ web: { type: 'http', url: server.url } }, [echo], {
    open: { grant: 'fs(., rw) · exec · tool(*)' },
  });
  expect(run.results).toMatchObject([{ outcome: 'error', detail: { code: 'denied' } }]);
  expect(server.requests).toEqual([]);
});

test('variables in the address of a server reach the default grant', async () => {
  using server = await startHttpServer();
  const { host, port } = new URL(server.url);
  for (const url of [`http://\${MCP_TEST_PLACE:-${host}}/mcp`, `http://127.0.0.1:\${env:MCP_TEST_PORT}/mcp`]) {
    await using run = await runCalls({ web: { type: 'http', url } }, [echo], { env: { MCP_TEST_PORT: port } });
    expect(run.results, url).toMatchObject([{ outcome: 'ok' }]);
    const grant = { authorities: expect.arrayContaining([{ kind: 'net', host: '127.0.0.1', port: Number(port) }]) };
    expect(run.events[0], url).toMatchObject({ type: 'session.opened', grant });
  }
});

test('mode edits asks before a tool that may change something', async () => {
  using server = await startHttpServer();
  await using run = await runCalls({ web: { type: 'http', url: server.url } }, [echo, use('mcp__web__send')], {
    settings: { approve: 'edits' },
    reading: { web: ['echo'] },
  });
  expect(run.results.map(({ outcome }) => outcome)).toEqual(['ok', 'denied']);
});

test('an entry without a token is an error with the login as its hint', async () => {
  using server = await startHttpServer({ access: 'oauth' });
  await using run = await runCalls({ web: { type: 'http', url: server.url } }, [echo]);
  expect(run.results).toMatchObject([{ outcome: 'error' }]);
  expect(run.results[0]!.output).toContain('klaus mcp login web');
});

test.each([
  ['redirects in a circle', (url: string) => ({ 302: url })],
  ['redirects to another host', () => ({ 302: 'http://127.0.0.2:9/mcp' })],
  ['is no server of the protocol', () => ({ 200: 'hello' })],
  ['fails', () => ({ 500: 'no' })],
])('a server that %s is an error', async (_, toAnswer) => {
  let target = '';
  using server = await startHttpServer({
    answer: (_request, response) => {
      const [[code, body]] = Object.entries(toAnswer(target)) as [[string, string]];
      response
        .writeHead(Number(code), { 'content-type': 'text/plain', ...(code === '302' ? { location: body } : {}) })
        .end(body);
    },
  });
  target = server.url;
  await using run = await runCalls({ web: { type: 'http', url: server.url } }, [echo]);
  expect(run.results).toMatchObject([{ outcome: 'error', detail: { code: 'mcp.failed' } }]);
  expect(server.requests.length).toBeLessThan(10);
});

test('an endless answer is ended at the limit', async () => {
  let sent = 0;
  using server = await startHttpServer({
    answer: (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1_048_576, ' ');
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', write);
      write();
    },
  });
  await using run = await runCalls({ web: { type: 'http', url: server.url } }, [echo]);
  expect(run.results).toMatchObject([{ outcome: 'error', detail: { code: 'mcp.failed' } }]);
  expect(sent).toBeLessThan(200 * 1_048_576);
});

test('a login stores tokens, which are renewed', async () => {
  using server = await startHttpServer({ access: 'oauth' });
  using place = createTestHome();
  const mcp = openMcpConfiguration({ cwd: place.workspace, env: { ...place.env, KLAUS_SANDBOX: 'host' } });
  const { signal } = new AbortController();
  await mcp.add('web', { type: 'http', url: server.url }, 'user');
  await expect(mcp.test('web', { signal })).rejects.toMatchObject({ code: 'auth' });
  await mcp.logIn('web', {
    signal,
    // The browser of the user; a request with another state is no answer.
    onUrl: (url) =>
      void fetch(new URL(`/callback?code=x&state=y`, new URL(url).searchParams.get('redirect_uri')!)).then(() =>
        fetch(url),
      ),
  });
  const file = join(place.home, 'mcp-logins.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('access-');
  expect(await mcp.test('web', { signal })).toMatchObject({ tools: [{ name: 'echo' }, { name: 'send' }] });
  // The server forgets the token: the client renews it.
  const [before] = server.tokens;
  server.tokens.clear();
  expect(await mcp.test('web', { signal })).toMatchObject({ server: 'http 1' });
  expect([...server.tokens]).not.toContain(before);
  // The server forgets the login too: the user has to log in again.
  server.tokens.clear();
  server.refreshTokens.clear();
  await expect(mcp.test('web', { signal })).rejects.toMatchObject({
    code: 'auth',
    hint: expect.stringContaining('klaus mcp login web'),
  });
  // A login is cancelled.
  const stop = new AbortController();
  await expect(mcp.logIn('web', { signal: stop.signal, onUrl: () => stop.abort() })).rejects.toMatchObject({
    code: 'cancelled',
  });
});
