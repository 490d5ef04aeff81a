import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createFilterProxy } from './filter-proxy.ts';
import { parseHostRule } from '@klaus/core/policy';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function listen<S extends Pick<Server, 'listen' | 'address' | 'close' | 'once'>>(server: S): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  cleanups.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A web server that returns the request. */
async function startOrigin(): Promise<number> {
  return await listen(
    createServer((asked, response) => {
      response.setHeader('connection', 'close');
      response.end(JSON.stringify({ method: asked.method, url: asked.url, headers: asked.headers }));
    }),
  );
}

async function startFilter(hosts: readonly string[], env: Record<string, string> = {}) {
  const refused: string[] = [];
  const server = createFilterProxy({
    rules: hosts.map(parseHostRule),
    env,
    onRefused: (authority) => refused.push(authority),
  });
  const port = await listen(server);
  cleanups.push(() => server.closeAllConnections());
  return { port, refused };
}

/** The complete response on one connection. */
async function talk(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  await once(socket, 'close').catch(() => {});
  return answer;
}

async function tunnel(port: number, authority: string): Promise<{ status: number; socket: Socket }> {
  const asked = request({ port, host: '127.0.0.1', method: 'CONNECT', path: authority });
  asked.end();
  const [answer, socket, head] = (await once(asked, 'connect')) as [IncomingMessage, Socket, Buffer];
  socket.unshift(head);
  cleanups.push(() => socket.destroy());
  return { status: answer.statusCode ?? 0, socket };
}

test('a tunnel to an allowed host passes bytes both ways', async () => {
  const origin = await startOrigin();
  const { port, refused } = await startFilter([`localhost:${origin}`]);
  const { status, socket } = await tunnel(port, `LocalHost.:${origin}`);
  expect(status).toBe(200);
  socket.write('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect(text).toContain('"url":"/a"');
  expect(refused).toEqual([]);
});

test.for([
  'pypi.org.evil.com:443',
  '127.0.0.1:443',
  '[::1]:443',
  '[::ffff:7f00:1]:443',
  '0x7f000001:443',
  '2130706433:443',
  'localhost:443',
  'pypi.org:22',
])('a tunnel to %s is refused and reported', async (authority) => {
  const { port, refused } = await startFilter(['pypi.org', 'localhost:1']);
  expect((await tunnel(port, authority)).status).toBe(403);
  expect(refused).toEqual([authority]);
});

test.for(['pypi.org', 'user@pypi.org:443', 'http://pypi.org:443', 'pypi.org:443/../', 'pypi.org:0443x', '*:443'])(
  'an invalid host and port is refused: %s',
  async (authority) => {
    const { port } = await startFilter(['pypi.org']);
    expect(await talk(port, `CONNECT ${authority} HTTP/1.1\r\nHost: pypi.org:443\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 40[03]/,
    );
  },
);

test('a name of this machine is not reachable, unless the rule names this machine', async () => {
  const origin = await startOrigin();
  // A rule for all subdomains, of a domain whose owner points it to this machine.
  const { port } = await startFilter([`*.localhost:${origin}`]);
  const named = await tunnel(port, `a.localhost:${origin}`).catch(() => undefined);
  // Some resolvers know the name; the rule itself then names this machine.
  expect([200, 502]).toContain(named?.status);
  const other = await startFilter([`ip6-localhost:${origin}`, `runsc:${origin}`, `vm:${origin}`]);
  for (const name of ['ip6-localhost', 'runsc', 'vm'])
    expect((await tunnel(other.port, `${name}:${origin}`)).status).toBe(502);
});

test('a plain request is forwarded without the headers for the proxy', async () => {
  const origin = await startOrigin();
  const { port } = await startFilter([`localhost:${origin}`]);
  const url = `http://localhost:${origin}/path?q=1`;
  const head = ['Proxy-Authorization: Basic eA==', 'Connection: x-own, close', 'X-Own: 1', 'X-Kept: 2', 'Host: other'];
  const answer = await talk(port, `GET ${url} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1.1 200/);
  const seen = JSON.parse(/\{.*\}/s.exec(answer)![0]) as { url: string; headers: Record<string, string> };
  expect(seen.url).toBe('/path?q=1');
  expect(seen.headers).toEqual({ 'x-kept': '2', host: `localhost:${origin}`, connection: 'close' });
});

test('each request of a persistent connection is checked', async () => {
  const [origin, secret] = [await startOrigin(), await startOrigin()];
  const { port, refused } = await startFilter([`localhost:${origin}`]);
  const ask = (at: number, more = '') =>
    `GET http://localhost:${at}/ HTTP/1.1\r\nHost: localhost:${origin}\r\n${more}\r\n`;
  const answer = await talk(port, ask(origin) + ask(secret) + ask(origin, 'Connection: close\r\n'));
  expect([...answer.matchAll(/HTTP\/1.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['200', '403', '200']);
  expect(refused).toEqual([`localhost:${secret}`]);
});

test.for([
  ['GET /path HTTP/1.1', 403],
  ['GET http://user:word@localhost/ HTTP/1.1', 403],
  ['GET https://localhost/ HTTP/1.1', 403],
  ['GET ftp://localhost/ HTTP/1.1', 403],
  ['GET http://[::1]/ HTTP/1.1', 403],
  ['rubbish', 0],
] as const)('%s is not forwarded', async ([line, status]) => {
  const { port } = await startFilter(['localhost:1']);
  const answer = await talk(port, `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  expect(Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 0)).toBe(status);
});

test('an endless header is not buffered', async () => {
  const { port } = await startFilter(['localhost:1']);
  expect(await talk(port, `GET http://localhost/ HTTP/1.1\r\nX: ${'x'.repeat(100_000)}`)).not.toMatch(/ 200 /);
});

test('a client that disconnects is not reported as refused, and leaves no connection', async () => {
  let opened = 0;
  const silent = createTcpServer((socket) => {
    opened++;
    socket.on('close', () => opened--).on('error', () => {});
  });
  const origin = await listen(silent as unknown as Server);
  const { port, refused } = await startFilter([`localhost:${origin}`]);
  const { socket } = await tunnel(port, `localhost:${origin}`);
  const closed = new Promise<void>((resolve) => silent.once('connection', (far) => far.once('close', () => resolve())));
  const second = await tunnel(port, `localhost:${origin}`);
  socket.destroy();
  second.socket.destroy();
  await closed;
  expect(refused).toEqual([]);
});

test("goes through the user's own proxy, with its password, and still only to allowed hosts", async () => {
  const heads: { url: string | undefined; authorization: string | undefined }[] = [];
  const upstream = createServer();
  upstream.on('connect', (asked: IncomingMessage, near: Socket) => {
    heads.push({ url: asked.url, authorization: asked.headers['proxy-authorization'] });
    near.end('HTTP/1.1 200 OK\r\n\r\nfirst bytes');
  });
  const at = await listen(upstream);
  const env = { HTTPS_PROXY: `http://me:word@127.0.0.1:${at}`, no_proxy: 'other.org,.below.org' };
  const { port, refused } = await startFilter(['pypi.org:8443', 'other.org:1', '*.below.org:1'], env);
  const { status, socket } = await tunnel(port, 'pypi.org:8443');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect({ status, text }).toEqual({ status: 200, text: 'first bytes' });
  expect(heads).toEqual([{ url: 'pypi.org:8443', authorization: `Basic ${btoa('me:word')}` }]);
  expect((await tunnel(port, 'evil.org:443')).status).toBe(403);
  expect(refused).toEqual(['evil.org:443']);
  // Without the proxy.
  for (const host of ['other.org', 'a.below.org']) expect((await tunnel(port, `${host}:1`)).status).toBe(502);
  expect(heads).toHaveLength(1);
});

test.for(['HTTP/1.1 407 No\r\n\r\n', 'HTTP/1.1 200', 'rubbish'])(
  'a proxy that responds with %j is reported',
  async (answer) => {
    const upstream = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer));
    });
    const at = await listen(upstream as unknown as Server);
    const { port } = await startFilter(['pypi.org'], { https_proxy: `http://127.0.0.1:${at}` });
    expect((await tunnel(port, 'pypi.org:443')).status).toBe(502);
  },
);
