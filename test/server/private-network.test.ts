// Covers apps/server/access, sdk/open, sdk/clone, adapters/sandboxes/network: addresses of the machine for clients below admin.
import { once } from 'node:events';
import { connect, createServer, isIPv6, type AddressInfo, type LookupFunction, type Server } from 'node:net';
import { protectPort } from '@klaus/sdk';
import { openHostProxy } from '@klaus/adapters/sandboxes';
import { toPublicRules } from '@klaus/core/policy';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';

const ENV = {
  KLAUS_SERVER_SIGN_IN: 'proxy',
  AGENT_TRUST_PROXY: 'loopback',
  KLAUS_SERVER_ROLES: 'admins=admin,team=operator,readers=viewer',
};
const GROUPS = { admin: 'admins', operator: 'team' };
type Role = keyof typeof GROUPS;

async function send({ server }: TestServer, role: Role, [method, path, body]: [string, string, object?]) {
  const headers = {
    'x-forwarded-user': role,
    'x-forwarded-groups': GROUPS[role],
    'content-type': 'application/json',
  };
  const answer = await rawRequest(server, { method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> };
}

/** A server on the loopback interface, which counts connections. */
async function listen(): Promise<{ server: Server; port: number; count: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, port: (server.address() as AddressInfo).port, count: () => connections };
}

/** Sends a request or opens a tunnel through a proxy. Returns the status. */
async function ask(proxy: string, authority: string, isTunnel: boolean): Promise<number> {
  const { hostname, port } = new URL(proxy);
  const options = isTunnel
    ? { method: 'CONNECT', path: authority }
    : { method: 'GET', path: `http://${authority}/`, headers: { host: authority, 'x-forwarded-groups': 'admins' } };
  const sent = request({ hostname, port, ...options });
  return await new Promise((resolve) => {
    sent.on('error', () => resolve(0));
    sent.on('connect', ({ statusCode = 0 }, socket) => (socket.destroy(), resolve(statusCode)));
    sent.on('response', (answer) => (answer.resume(), resolve(answer.statusCode ?? 0)));
    sent.end();
  });
}

/** Spellings of this machine, of its link, of metadata services and of private networks. */
const SPELLINGS = [
  ...[
    '127.0.0.1',
    '127.1.2.3',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    '0',
    'localhost',
  ],
  ...[
    'a.localhost',
    'LOCALHOST',
    'localhost.',
    '169.254.169.254',
    '100.100.100.200',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
  ],
  ...[
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
  ],
  ...['[2002:7f00:1::]', '[fe80::1]', '[fc00::1]', '[ff02::1]', '[::127.0.0.1]', '[fd00:ec2::254]'],
];

test('a session of an operator opens with no authority for this machine, and that of an admin with it', async () => {
  await using it = await startTestServer({ env: ENV });
  const isAll = process.env['PRIVATE_NETWORK_CASES'] === 'all';
  const literal = SPELLINGS.filter((host) => !/^(?:LOCALHOST|localhost\.)$/.test(host));
  const refused: unknown[] = [];
  const asks = (host: string) => [
    { grant: `net(${host.replace(/^\[|\]$/g, '')}, 8080) · tool(*)` },
    { allowNet: [`${host}:8080`] },
    {
      grant: `fs(., r) · tool(*) · net(${host.replace(/^\[|\]$/g, '')}, 0) · delegable: net(${host.replace(/^\[|\]$/g, '')}, 0)`,
    },
  ];
  for (const [at, host] of literal.entries())
    for (const [way, body] of asks(host).entries()) {
      if (!isAll && (at + way) % 3 !== 0) continue;
      const answer = await send(it, 'operator', ['POST', '/api/sessions', body]);
      if (answer.status < 400) refused.push({ host, way, status: answer.status });
    }
  expect(refused).toEqual([]);
  const own = await send(it, 'admin', ['POST', '/api/sessions', { allowNet: ['127.0.0.1:8080'] }]);
  expect(own.status).toBe(202);
  // An operator does not use the authority of the admin either.
  const path = `/api/sessions/${String(own.body['session'])}/prompt`;
  expect((await send(it, 'operator', ['POST', path, { text: 'Go.' }])).status).toBe(403);
  const plain = await send(it, 'operator', ['POST', '/api/sessions', { allowNet: ['npm', 'example.com'] }]);
  expect(plain.status).toBe(202);
  const [opened] = await it.klaus.store.eventsOf(String(plain.body['session']), ['session.opened']);
  expect(opened?.privateHosts).toEqual([]);
});

test('the setting lets an operator name a private host', async () => {
  await using it = await startTestServer({ env: { ...ENV, KLAUS_SERVER_PRIVATE_HOSTS: '10.0.0.7:8080' } });
  const open = async (host: string) =>
    (await send(it, 'operator', ['POST', '/api/sessions', { allowNet: [host] }])).status;
  expect([await open('10.0.0.7:8080'), await open('10.0.0.7:8081'), await open('10.0.0.8:8080')]).toEqual([
    202, 400, 400,
  ]);
});

test('the proxy of a public session dials no address of this machine, by any spelling', async () => {
  const { server, port, count } = await listen();
  try {
    const rules = [
      { host: '*', isBelow: false, port: 0 },
      ...SPELLINGS.map((host) => ({ host: host.replace(/^\[|\]$/g, '').toLowerCase(), isBelow: false, port: 0 })),
    ];
    using proxy = await openHostProxy({ rules: toPublicRules(rules, []), env: {} });
    const statuses = new Set<number>();
    for (const host of SPELLINGS)
      for (const isTunnel of [false, true]) statuses.add(await ask(proxy.url, `${host}:${port}`, isTunnel));
    expect(count()).toBe(0);
    expect(statuses.has(200)).toBe(false);
  } finally {
    server.close();
  }
});

test('a name whose address changes leads a public session to no address of this machine', async () => {
  const { server, port, count } = await listen();
  const answers = [
    ['93.184.216.34'],
    ['93.184.216.34', '127.0.0.1'],
    ['127.0.0.1'],
    ['::ffff:127.0.0.1', '169.254.169.254', '::1'],
  ];
  const dialled: string[] = [];
  try {
    using proxy = await openHostProxy({
      rules: toPublicRules([{ host: 'rebound.example', isBelow: false, port: 0 }], []),
      env: {},
      resolve: () =>
        Promise.resolve((answers.shift() ?? []).map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))),
      dial: (options) => {
        const note: Parameters<LookupFunction>[2] = (_, found) =>
          void dialled.push(...(Array.isArray(found) ? found.map(({ address }) => address) : [found]));
        options.lookup!(options.host!, { all: true }, note);
        return connect({ port: 1, host: '127.0.0.1' });
      },
    });
    while (answers.length > 0)
      expect(await ask(proxy.url, `rebound.example:${port}`, answers.length % 2 === 0)).not.toBe(200);
    expect(dialled).toEqual(['93.184.216.34', '93.184.216.34']);
    expect(count()).toBe(0);
  } finally {
    server.close();
  }
});

test('no proxy dials a server of this process, for any client', async () => {
  const { server, port, count } = await listen();
  const rules = ['127.0.0.1', '127.8.8.8', 'localhost', '::1', '::ffff:127.0.0.1', '0.0.0.0'].map((host) => ({
    ...{ host, isBelow: false, port: 0 },
  }));
  try {
    using proxy = await openHostProxy({ rules, env: {} });
    expect(await ask(proxy.url, `127.0.0.1:${port}`, false)).toBe(200);
    expect(count()).toBe(1);
    protectPort(server);
    for (const host of ['127.0.0.1', '127.8.8.8', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])
      for (const isTunnel of [false, true]) expect(await ask(proxy.url, `${host}:${port}`, isTunnel)).not.toBe(200);
    expect(count()).toBe(1);
    // The proxy itself is such a server.
    expect(await ask(proxy.url, new URL(proxy.url).host, false)).toBe(502);
  } finally {
    server.close();
  }
});

/** Starts a clone and waits for its end. */
async function clone(it: TestServer, role: Role, url: string) {
  const body = { url, parent: it.place.workspace, name: `c${Math.abs(hash(url + role))}` };
  const started = await send(it, role, ['POST', '/api/clones', body]);
  if (started.status >= 400) return { status: started.status, problem: started.body };
  const id = String(started.body['id']);
  for (;;) {
    const { body: view } = await send(it, role, ['GET', `/api/clones/${id}`]);
    if (view['state'] !== 'running') return { status: 202, problem: view['problem'] as Record<string, unknown> };
  }
}

const hash = (text: string): number => Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) | 0, 7);

test('a clone of an operator connects to no address of this machine, and does not show its open ports', async () => {
  await using it = await startTestServer({ env: ENV });
  const { server, port, count } = await listen();
  const closed = createServer();
  await once(closed.listen(0, '127.0.0.1'), 'listening');
  const { port: free } = closed.address() as AddressInfo;
  closed.close();
  try {
    const details = new Set<string>();
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '0.0.0.0', '[::ffff:127.0.0.1]'])
      for (const at of [port, free]) {
        const { problem } = await clone(it, 'operator', `https://${host}:${at}/a.git`);
        details.add(`${String(problem['title'])} ${String(problem['detail'])}`);
      }
    expect(count()).toBe(0);
    expect([...details]).toHaveLength(1);
    const ssh = await clone(it, 'operator', `ssh://git@127.0.0.1:${port}/a.git`);
    expect(JSON.stringify(ssh.problem)).toContain('SSH');
    expect(count()).toBe(0);
    // That of an admin does connect.
    await clone(it, 'admin', `https://127.0.0.1:${port}/a.git`);
    expect(count()).toBeGreaterThan(0);
  } finally {
    server.close();
  }
});

test('with the keys of the server, SSH connects to no address of this machine either', async () => {
  await using it = await startTestServer({ env: { ...ENV, KLAUS_SERVER_LEND_CREDENTIALS: 'true' } });
  const { server, port, count } = await listen();
  try {
    for (const host of ['127.0.0.1', 'localhost', '0.0.0.0'])
      await clone(it, 'operator', `ssh://git@${host}:${port}/a.git`);
    expect(count()).toBe(0);
  } finally {
    server.close();
  }
});
