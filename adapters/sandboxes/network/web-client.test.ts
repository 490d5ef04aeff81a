import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { parseHostRule, type HostRule } from '@klaus/core/policy';
import { afterEach, expect, test } from 'vitest';
import { createWebClient } from './web-client.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function start(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const toClient = (...rules: (string | HostRule)[]) =>
  createWebClient({ rules: rules.map((rule) => (typeof rule === 'string' ? parseHostRule(rule) : rule)), env: {} });
const ANY: HostRule = { host: '*', isBelow: false, port: 0 };

test('a request has its method, headers and body, and the response is complete', async () => {
  const port = await start((request, response) => {
    void request.toArray().then((chunks) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response
        .writeHead(404)
        .end([request.method, request.url, request.headers['x-own'], Buffer.concat(chunks)].join(' '));
    });
  });
  const client = toClient(`localhost:${port}`);
  const url = `http://localhost:${port}/a?b=c`;
  const { status, headers, body } = await client.send({ url, method: 'PUT', headers: { 'x-own': '1' }, body: 'text' });
  expect({ status, cookie: headers['set-cookie'], text: String(body) }).toEqual({
    status: 404,
    cookie: 'a=1, b=2',
    text: 'PUT /a?b=c 1 text',
  });
});

test('a redirect is a response, which is not followed', async () => {
  const port = await start((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
  const { status, headers } = await toClient(`localhost:${port}`).send({ url: `http://localhost:${port}/` });
  expect({ status, location: headers['location'] }).toEqual({ status: 302, location: 'http://169.254.169.254/' });
});

test('a long body is cut, also if a few bytes decompress to a long one', async () => {
  const packed = gzipSync(Buffer.alloc(50_000_000));
  const port = await start((_, response) => response.setHeader('content-encoding', 'gzip').end(packed));
  const url = `http://localhost:${port}/`;
  const { body, isTruncated } = await toClient(`localhost:${port}`).send({ url, maxBytes: 1_000 });
  expect({ length: body.length, isTruncated }).toEqual({ length: 1_000, isTruncated: true });
});

test.for(['http://127.0.0.1', 'http://[::1]', 'http://0x7f.1', 'http://2130706433', 'http://localhost', 'http://0'])(
  'a rule for any host does not reach this machine: %s',
  async (host) => {
    let isReached = false;
    const port = await start((_, response) => {
      isReached = true;
      response.end();
    });
    await expect(toClient(ANY).send({ url: `${host}:${port}/` })).rejects.toMatchObject({ code: 'tool.failed' });
    expect(isReached).toBe(false);
  },
);

test.for([
  ['http://other.example/', 'denied'],
  ['https://localhost:1/', 'denied'],
  ['ftp://localhost/', 'tool.input'],
  ['http://me:word@localhost:2/', 'tool.input'],
  ['nothing', 'tool.input'],
] as const)('%s is refused as %s', async ([url, code]) => {
  await expect(toClient('localhost:2').send({ url })).rejects.toMatchObject({ code });
});

test('a server that sends nothing, half a body or rubbish is an error', async () => {
  const silent = await start(() => {});
  const half = await start((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    response.socket?.end();
  });
  const wrong = await start((_, response) => response.setHeader('content-encoding', 'gzip').end('no gzip'));
  const send = async (port: number) =>
    toClient(`localhost:${port}`).send({ url: `http://localhost:${port}/`, timeoutMs: 2_000 });
  for (const port of [silent, half, wrong]) await expect(send(port)).rejects.toMatchObject({ code: 'tool.failed' });
});

test('a cancelled request ends', async () => {
  const cancel = new AbortController();
  const port = await start(() => cancel.abort());
  const sent = toClient(`localhost:${port}`).send({ url: `http://localhost:${port}/`, signal: cancel.signal });
  await expect(sent).rejects.toMatchObject({ code: 'cancelled' });
});
