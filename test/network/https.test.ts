// Covers adapters/sandboxes/network: HTTPS through the proxy, whose tunnels are for their host alone, and the web client.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { createWebClient } from '@klaus/adapters/sandboxes';
import { parseHostRule } from '@klaus/core/policy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFilterProxy } from '../../adapters/sandboxes/network/filter-proxy.ts';
import { createCertificate } from './certificate.ts';

const NAMES = ['one.example', 'two.example'];
const { cert, key } = createCertificate(NAMES);
const origin = createHttpsServer({ cert, key }, (asked, response) => response.end(`hello ${asked.headers.host}`));
const refused: string[] = [];
const toOrigin = {
  resolve: async () => [{ address: '10.0.0.1', family: 4 }],
  dial: () => connectTcp(portOf(origin), '127.0.0.1'),
};
const proxy = createFilterProxy({
  rules: [...NAMES.map(parseHostRule), parseHostRule('10.0.0.1')],
  env: {},
  ...toOrigin,
  onRefused: (authority) => refused.push(authority),
});
const sockets = new Set<Socket>();
beforeAll(async () => {
  proxy.on('connection', (socket: Socket) => sockets.add(socket));
  for (const server of [origin, proxy]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  origin.closeAllConnections();
  for (const server of [origin, proxy]) server.close();
});
function portOf(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port;
}

async function tunnel(authority: string): Promise<Socket> {
  const asked = request({ port: portOf(proxy), host: '127.0.0.1', method: 'CONNECT', path: authority });
  asked.end();
  const [answer, socket] = (await once(asked, 'connect')) as [IncomingMessage, Socket];
  expect(answer.statusCode).toBe(200);
  return socket;
}

/** The first response over TLS in a tunnel, or '' if it is closed. */
async function talk(authority: string, servername: string): Promise<string> {
  refused.length = 0;
  const secure: TLSSocket = connect({
    socket: await tunnel(authority),
    servername,
    ca: cert,
    checkServerIdentity: () => undefined,
  });
  let text = '';
  secure.on('data', (chunk: Buffer) => (text += String(chunk)));
  secure.on('error', () => {});
  secure.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await new Promise<void>((resolve) => secure.once('close', () => resolve()));
  return text;
}

test('a tunnel passes TLS for its host, and for an address without a name', async () => {
  expect(await talk('One.example:443', 'one.example')).toContain('hello x');
  expect(await talk('10.0.0.1:443', '')).toContain('hello x');
  expect(refused).toEqual([]);
});

test.for([
  ['another granted host', 'one.example:443', 'two.example'],
  ['another host', 'one.example:443', 'evil.example'],
  ['a host below it', 'one.example:443', 'a.one.example'],
  ['no name', 'one.example:443', ''],
  ['a name for an address', '10.0.0.1:443', 'one.example'],
])('a tunnel with the server name of %s is closed and reported', async ([, authority, servername]) => {
  expect(await talk(authority!, servername!)).toBe('');
  expect(refused).toEqual([expect.stringContaining(authority!.toLowerCase())]);
});

test('a tunnel to the port of HTTPS that is not TLS is closed, also for a client that leaves', async () => {
  refused.length = 0;
  const socket = await tunnel('one.example:443');
  socket.write('GET / HTTP/1.1\r\nHost: two.example\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
  expect(refused).toHaveLength(1);
  const second = await tunnel('one.example:443');
  const far = once(second, 'close');
  second.destroy();
  await far;
});

test('the web client speaks HTTPS with a trusted server for its name', async () => {
  const client = (host: string) => createWebClient({ rules: [parseHostRule(host)], env: {}, ...toOrigin, ca: cert });
  const { status, body } = await client('one.example').send({ url: 'https://one.example/' });
  expect({ status, text: String(body) }).toEqual({ status: 200, text: 'hello one.example' });
  // The certificate is not for this name.
  const wrong = client('other.example').send({ url: 'https://other.example/' });
  await expect(wrong).rejects.toMatchObject({ code: 'tool.failed' });
  const untrusted = createWebClient({ rules: [parseHostRule('one.example')], env: {}, ...toOrigin });
  await expect(untrusted.send({ url: 'https://one.example/' })).rejects.toMatchObject({ code: 'tool.failed' });
});
