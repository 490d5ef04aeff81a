// Covers apps/server/access, apps/server/contract, apps/server/sockets: sign-in by the headers of a proxy, and roles on every route and event.
import { once } from 'node:events';
import { ROUTES } from '@klaus/server/contract';
import { io, type Socket } from 'socket.io-client';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import type { CommandName } from '../../apps/server/sockets/commands.ts';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';

const ROLES = ['viewer', 'operator', 'admin'] as const;
type Role = (typeof ROLES)[number];

const ENV = {
  KLAUS_SERVER_SIGN_IN: 'proxy',
  AGENT_TRUST_PROXY: 'loopback',
  KLAUS_SERVER_ROLES: 'admins=admin,team=operator,readers=viewer',
};
const GROUPS: Readonly<Record<Role, string>> = { admin: 'others, admins', operator: 'team,readers', viewer: 'readers' };

/** The headers that the proxy sends for a person of a role. */
const as = (role: Role): Record<string, string> => ({ 'x-forwarded-user': role, 'x-forwarded-groups': GROUPS[role] });

/** Routes whose role differs from the one of their method: `viewer` for GET, `operator` for others. */
const OTHER: Readonly<Record<string, Role>> = {
  'GET /api/folders': 'operator',
  'POST /api/sign-out': 'viewer',
  'GET /api/configuration': 'admin',
  'PUT /api/configuration/:key': 'admin',
  'GET /api/checks': 'admin',
  'GET /api/git/diff': 'operator',
  'GET /api/git/commits': 'operator',
  'GET /api/git/commits/:hash': 'operator',
  'GET /api/keys': 'admin',
  'PUT /api/keys/:provider': 'admin',
  'POST /api/keys/:provider/test': 'admin',
  'DELETE /api/keys/:provider': 'admin',
  'GET /api/model-servers': 'admin',
  'POST /api/model-servers': 'admin',
  'POST /api/model-servers/test': 'admin',
  'POST /api/model-servers/:name/test': 'admin',
  'DELETE /api/model-servers/:name': 'admin',
  'GET /api/local-models': 'admin',
  'POST /api/local-models': 'admin',
  'GET /api/mcp-servers': 'admin',
  'POST /api/mcp-servers': 'admin',
  'DELETE /api/mcp-servers/:name': 'admin',
  'POST /api/mcp-servers/:name/test': 'admin',
  'POST /api/mcp-servers/:name/trust': 'admin',
  'POST /api/mcp-servers/:name/review': 'admin',
  'POST /api/mcp-servers/:name/accept': 'admin',
  'GET /api/mcp-servers/:name/login': 'admin',
  'POST /api/mcp-servers/:name/login': 'admin',
  'PUT /api/mcp-servers/:name/login': 'admin',
  'DELETE /api/mcp-servers/:name/login': 'admin',
  'POST /api/hooks/claude-code': 'admin',
  'POST /api/guard/dismiss': 'admin',
  'POST /api/sessions/:id/live': 'admin',
  'POST /api/agents': 'admin',
  'PUT /api/agents/:name': 'admin',
  'DELETE /api/agents/:name': 'admin',
  'PUT /api/prompts/:name': 'admin',
  'DELETE /api/prompts/:name': 'admin',
};

const JSON_BODY = { 'content-type': 'application/json' };

const codeOf = (body: string): string | undefined => {
  try {
    return (JSON.parse(body) as { code?: string }).code;
  } catch {
    return undefined;
  }
};

/** The least role that a route lets in, as it answers. */
async function findLeast({ server }: TestServer, { method, path }: { method: string; path: string }): Promise<Role> {
  for (const role of ROLES) {
    const body = ['GET', 'DELETE'].includes(method) ? {} : { body: '{}' };
    const headers = { ...as(role), ...JSON_BODY };
    const answer = await rawRequest(server, { method, path, headers, ...body });
    expect(answer.status, path).not.toBe(401);
    if (codeOf(answer.body) !== 'role_required') return role;
    expect({ path, status: answer.status }).toEqual({ path, status: 403 });
  }
  throw new Error(`${method} ${path} refuses an admin.`);
}

test('every route requires its role: viewers read, operators work, admins change the server', async () => {
  await using it = await startTestServer({ env: ENV });
  const found: Record<string, Role> = {};
  const expected: Record<string, Role> = {};
  for (const route of Object.values(ROUTES)) {
    if ('open' in route) continue;
    const name = `${route.method} ${route.path}`;
    expected[name] = OTHER[name] ?? (route.method === 'GET' ? 'viewer' : 'operator');
    const path = route.path.replace(/:\w+/g, 'x').replace(/\*$/, 'x/y');
    found[name] = await findLeast(it, { method: route.method, path });
  }
  expect(found).toEqual(expected);
  expect(Object.keys(expected)).toEqual(expect.arrayContaining(Object.keys(OTHER)));
  expect(Object.keys(found).length).toBeGreaterThan(60);
  // Nothing of what a viewer or an operator sent had an effect.
  const openApi = await rawRequest(it.server, { path: '/api/openapi.json', headers: as('viewer') });
  const { paths } = JSON.parse(openApi.body) as { paths: Record<string, Record<string, { 'x-role': string | null }>> };
  expect(paths['/api/agents']!['post']!['x-role']).toBe('admin');
});

test('a session without a sandbox needs the role admin', async () => {
  await using it = await startTestServer({ env: ENV });
  const open = async (role: Role) =>
    rawRequest(it.server, {
      method: 'POST',
      path: '/api/sessions',
      headers: { ...as(role), ...JSON_BODY },
      body: JSON.stringify({ sandbox: 'host' }),
    });
  expect(codeOf((await open('operator')).body)).toBe('role_required');
  expect((await open('admin')).status).toBe(202);
  expect((await it.client.sessions()).sessions).toHaveLength(1);
});

test('an operator works on no session without a sandbox that an admin opened', async () => {
  await using it = await startTestServer({ env: { ...ENV, KLAUS_SANDBOX: 'bubblewrap' } });
  const { session } = await it.client.openSession({ body: { sandbox: 'host' } });
  const send = async (role: Role, [method, path, body]: readonly [string, string, object]) => {
    const headers = { ...as(role), ...JSON_BODY };
    const answer = await rawRequest(it.server, { method, path, headers, body: JSON.stringify(body) });
    return codeOf(answer.body) ?? answer.status;
  };
  const at = `/api/sessions/${session.slice(0, -1)}`;
  for (const way of [
    ['POST', `${at}/prompt`, { text: 'go' }],
    ['POST', `${at}/shell`, { command: 'id' }],
    ['POST', `${at}/fork`, {}],
    ['PATCH', at, { mode: 'auto' }],
    ['POST', '/api/sessions', { session, text: 'go' }],
    ['POST', '/api/prompt', { message: 'go', sessionId: session, model: 'x' }],
  ] as const) {
    expect({ way, code: await send('operator', way) }).toEqual({ way, code: 'role_required' });
  }
  const socket = (await connect(it, { extraHeaders: as('operator') })) as Socket;
  const prompted: unknown = await socket.emitWithAck('prompt', { message: 'go', sessionId: session });
  expect(prompted).toMatchObject({ code: 'role_required' });
  socket.close();
  const chat = new WebSocket(`${it.server.url}/ws/chat/klaus?session=${session}`, { headers: as('operator') });
  expect((await once(chat, 'close'))[0]).toBe(1008);
  expect((await rawRequest(it.server, { path: at, headers: as('viewer') })).status).toBe(200);
  expect(await send('admin', ['PATCH', at, { title: 'A title' }])).toBe(200);
  const { events } = await it.client.log({ params: { id: session } });
  expect(events.map(({ type }) => type)).toEqual(['session.opened', 'session.changed']);
});

test('each person has an approval mode for new sessions', async () => {
  await using it = await startTestServer({ env: ENV });
  const choose = (role: Role, mode: string) =>
    rawRequest(it.server, {
      method: 'PUT',
      path: '/api/mode',
      headers: { ...as(role), ...JSON_BODY },
      body: JSON.stringify({ mode }),
    });
  const modeOf = async (headers: Record<string, string>): Promise<unknown> => {
    const { body } = await rawRequest(it.server, { path: '/api/settings', headers });
    return (JSON.parse(body) as { mode: unknown }).mode;
  };
  expect((await choose('operator', 'ask')).status).toBe(200);
  expect((await choose('admin', 'plan')).status).toBe(200);
  expect(await modeOf(as('operator'))).toBe('ask');
  expect(await modeOf(as('admin'))).toBe('plan');
  expect(await modeOf(as('viewer'))).toBe('auto');
  expect((await it.client.settings()).mode).toBe('auto');
  await it.client.chooseMode({ body: { mode: 'edits' } });
  expect((await it.klaus.startMode()).mode).toBe('edits');
  const chosen = await Array.fromAsync(it.klaus.store.hostEvents({ type: 'mode.chosen' }));
  expect(chosen).toMatchObject([
    { by: 'server:operator' },
    { by: 'server:admin' },
    { by: expect.stringMatching(/^server/), person: '' },
  ]);
});

test('the headers count only once, from an address of the list, with a role', async () => {
  const ask = async ({ server }: TestServer, headers: Record<string, string>) => {
    const answer = await rawRequest(server, { path: '/api/sessions', headers });
    return answer.status === 200 ? 200 : `${answer.status} ${codeOf(answer.body)}`;
  };
  await using it = await startTestServer({ env: ENV });
  expect(await ask(it, as('viewer'))).toBe(200);
  expect(await ask(it, {})).toBe('401 unauthorized');
  expect(await ask(it, { 'x-forwarded-user': ' ', 'x-forwarded-groups': 'admins' })).toBe('401 unauthorized');
  expect(await ask(it, { 'x-forwarded-groups': 'admins' })).toBe('401 unauthorized');
  expect(await ask(it, { 'x-forwarded-user': 'dan', 'x-forwarded-groups': 'admins2,=admin,*' })).toBe(
    '403 role_required',
  );
  // A proxy that adds its header to that of the client.
  for (const [name, value] of Object.entries(as('viewer'))) {
    const headers = { ...as('admin'), [name.toUpperCase()]: [as('admin')[name]!, value] as unknown as string };
    delete (headers as Record<string, unknown>)[name];
    expect(await ask(it, headers)).toBe('400 usage');
  }
  expect(await ask(it, { authorization: `Bearer ${it.server.token}` })).toBe(200);
  expect(await ask(it, { authorization: 'Bearer wrong' })).toBe('401 unauthorized');

  await using other = await startTestServer({ env: { ...ENV, AGENT_TRUST_PROXY: '10.0.0.5, 192.168.0.0/16' } });
  const forwarded: Record<string, string>[] = [{}, { 'x-forwarded-for': '10.0.0.5' }, { forwarded: 'for=10.0.0.5' }];
  for (const more of forwarded) {
    expect(await ask(other, { ...as('admin'), ...more })).toBe('401 unauthorized');
  }
});

test.each(['true', 'false', '1'])('does not start if the proxies have no addresses: %s', async (trusted) => {
  await expect(startTestServer({ env: { ...ENV, AGENT_TRUST_PROXY: trusted } })).rejects.toMatchObject({
    code: 'config',
    hint: expect.stringContaining('AGENT_TRUST_PROXY'),
  });
});

test('does not start without a provider or roles', async () => {
  const env = { KLAUS_SERVER_SIGN_IN: 'oidc', KLAUS_SERVER_ROLES: '*=viewer' };
  await expect(startTestServer({ env })).rejects.toMatchObject({ code: 'config' });
  const provider = { KLAUS_OIDC_ISSUER: 'https://id.example.com', KLAUS_OIDC_CLIENT_ID: 'klaus' };
  await expect(startTestServer({ env: { ...env, ...provider, KLAUS_SERVER_ROLES: '' } })).rejects.toMatchObject({
    code: 'config',
  });
  await expect(
    startTestServer({ env: { ...env, ...provider, KLAUS_OIDC_ISSUER: 'http://id.example.com' } }),
  ).rejects.toMatchObject({ code: 'config' });
});

test('a page of another site cannot use the sign-in of the proxy', async () => {
  await using it = await startTestServer({ env: ENV });
  const { host } = new URL(it.server.url);
  const send = (headers: Record<string, string>) =>
    rawRequest(it.server, {
      method: 'POST',
      path: '/api/sessions',
      headers: { ...as('admin'), host, ...JSON_BODY, ...headers },
      body: '{}',
    });
  for (const origin of ['https://evil.example', 'null', `https://${host}`]) {
    expect((await send({ origin })).status).toBe(403);
  }
  // A form, which needs no preflight.
  expect((await send({ 'content-type': 'text/plain', origin: `http://${host}` })).status).toBe(415);
  expect((await it.client.sessions()).sessions).toEqual([]);
  expect((await send({ origin: `http://${host}` })).status).toBe(202);
});

/** A connected client, or the code of the error. */
async function connect(it: TestServer, options: Parameters<typeof io>[1]): Promise<Socket | string> {
  const socket = io(it.server.url, { reconnection: false, forceNew: true, ...options });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket));
    socket.once('connect_error', (error: Error & { data?: { code: string } }) => {
      socket.close();
      resolve(error.data?.code ?? 'refused');
    });
  });
}

/** A valid payload that names nothing that exists. */
const PAYLOADS: Readonly<Record<CommandName, object>> = {
  prompt: { message: 'go', sessionId: 'x' },
  cancel: { sessionId: 'x' },
  join_session: { sessionId: 'x' },
  leave_session: { sessionId: 'x' },
  patch_approval_response: { patchId: 'x', approved: true },
};

test('every event of Socket.IO requires its role, and the chat that of an operator', async () => {
  await using it = await startTestServer({ env: ENV });
  const refused: Partial<Record<Role, string[]>> = {};
  for (const role of ROLES) {
    const socket = (await connect(it, { extraHeaders: as(role) })) as Socket;
    for (const [name, payload] of Object.entries(PAYLOADS)) {
      const { code } = (await socket.emitWithAck(name, payload)) as { code: string };
      if (code === 'role_required') (refused[role] ??= []).push(name);
      else expect(code).toBe('usage');
    }
    socket.close();
  }
  expect(refused).toEqual({ viewer: ['prompt', 'cancel', 'patch_approval_response'] });
  for (const role of ROLES) {
    const chat = new WebSocket(`${it.server.url}/ws/chat/klaus`, { headers: as(role) });
    const [event] = await Promise.race([
      once(chat, 'open').then(() => ['open']),
      once(chat, 'unexpected-response').then(([, { statusCode }]) => [(statusCode as number) === 403 ? 'refused' : '']),
    ]);
    expect({ role, event }).toEqual({ role, event: role === 'viewer' ? 'refused' : 'open' });
    chat.terminate();
  }
  expect((await it.client.sessions()).sessions).toEqual([]);
});

test('a page of another origin signs in to Socket.IO by auth.token, and by nothing less', async () => {
  const origin = 'http://localhost:5173';
  await using it = await startTestServer({ env: { AGENT_CORS_ORIGIN: origin } });
  const extraHeaders = { origin };
  for (const transports of [['polling'], ['websocket'], ['polling', 'websocket']]) {
    const options = { extraHeaders, transports };
    const socket = (await connect(it, { ...options, auth: { token: it.server.token } })) as Socket;
    expect(await socket.emitWithAck('join_session', { sessionId: 'x' })).toMatchObject({ code: 'usage' });
    socket.close();
    for (const auth of [{}, { token: '' }, { token: 'wrong' }, { token: [it.server.token] }, { token: null }]) {
      expect(await connect(it, { ...options, auth })).toBe('unauthorized');
    }
    // A token in the packet does not replace the origin.
    const evil = { transports, auth: { token: it.server.token }, extraHeaders: { origin: 'https://evil.example' } };
    expect(await connect(it, evil)).toBe('refused');
    expect(await connect(it, { transports, auth: { token: it.server.token } })).toBe('refused');
  }
  let answer: Socket | string = '';
  for (let at = 0; at < 25; at++) answer = await connect(it, { extraHeaders, auth: { token: `guess-${at}` } });
  expect(answer).toBe('too_many');
});

test('the log names the person who answered', async () => {
  const script = {
    steps: [
      { when: { tools: false }, reply: { text: 'A title' } },
      { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] } },
      { when: { turn: 1 }, reply: { text: 'Done.' } },
    ],
  };
  await using it = await startTestServer({ script, env: ENV, settings: { approve: 'ask' } });
  const { session } = await it.client.openSession({ body: { text: 'go' } });
  const socket = (await connect(it, { extraHeaders: as('operator') })) as Socket;
  const asked = once(socket as never, 'patch_approval_required') as Promise<[{ patchId: string }]>;
  await socket.emitWithAck('join_session', { sessionId: session, after: 0 });
  const [{ patchId }] = await asked;
  const name = Buffer.from('Ålice\u202e  B.').toString('latin1');
  const answer = (headers: Record<string, string>) =>
    fetch(`${it.server.url}/api/approvals/${patchId}`, {
      method: 'POST',
      headers: { ...headers, ...JSON_BODY, 'x-klaus-client': 'page' },
      body: JSON.stringify({ answer: 'approved' }),
    });
  expect((await answer(as('viewer'))).status).toBe(403);
  expect((await answer({ ...as('operator'), 'x-forwarded-user': name })).status).toBe(202);
  const { events } = await it.client.log({ params: { id: session } });
  const answered = events.find(({ type }) => type === 'approval.answered');
  expect(answered).toMatchObject({ by: 'server/page:Ålice B.' });
  socket.close();
});
