// Covers apps/server/access, apps/server/handlers: who approves a call that can reach addresses of the machine.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { pollUntil } from '../fixtures/poll.ts';
import { test } from '../fixtures/sandboxed.ts';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';

const ENV = {
  KLAUS_SERVER_SIGN_IN: 'proxy',
  AGENT_TRUST_PROXY: 'loopback',
  KLAUS_SERVER_ROLES: 'admins=admin,team=operator',
  KLAUS_SANDBOX: 'bubblewrap',
};
const GROUPS = { admin: 'admins', operator: 'team' };
type Role = keyof typeof GROUPS;

let witness: Server;
const asked: string[] = [];
beforeAll(async () => {
  witness = createServer((request, response) => (asked.push(request.url ?? ''), void response.end('reached')));
  await once(witness.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void witness.close());
const toAddress = (): string => `127.0.0.1:${(witness.address() as AddressInfo).port}`;

async function send({ server }: TestServer, role: Role, [method, path, body]: [string, string, object?]) {
  const headers = {
    'x-forwarded-user': role,
    'x-forwarded-groups': GROUPS[role],
    'content-type': 'application/json',
  };
  const answer = await rawRequest(server, { method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> };
}

interface Asked {
  it: TestServer;
  session: string;
  answer: (role: Role, answer?: string) => Promise<number>;
  /** Resolves with the output of the call. */
  output: () => Promise<string>;
}

/** A session that a role opened and whose model makes one call, about which it asks. */
async function ask(opener: Role, call: { name: string; input: object }, body: object = {}) {
  const it = await startTestServer({
    env: ENV,
    script: { steps: [{ when: { turn: 0 }, reply: { calls: [call] } }], fallback: { text: 'Done.' } } as never,
  });
  const opened = await send(it, opener, ['POST', '/api/sessions', { text: 'Go.', onAsk: 'wait', ...body }]);
  expect(opened.status).toBe(202);
  const session = String(opened.body['session']);
  const id = await pollUntil(async () => (await it.klaus.store.eventsOf(session, ['approval.asked']))[0]?.approval);
  const result: Asked & AsyncDisposable = {
    it,
    session,
    answer: async (role, answer = 'approved') =>
      (await send(it, role, ['POST', `/api/approvals/${id}`, { answer }])).status,
    async output() {
      const [finished] = await pollUntil(async () => {
        const events = await it.klaus.store.eventsOf(session, ['tool.finished']);
        return events.length > 0 && events;
      });
      return finished!.output;
    },
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  };
  return result;
}

const command = (path: string, more: object = { network: true }) => ({
  name: 'run_command',
  input: {
    command: `curl -s -m 4 http://${toAddress()}${path}; curl -s -m 4 http://localhost:${toAddress().split(':')[1]}${path}`,
    ...more,
  },
});

test('an operator does not approve a call with a network in a session of an admin, and an admin does', async () => {
  await using it = await ask('admin', command('/of-admin'));
  expect(await it.answer('operator')).toBe(403);
  expect(asked).not.toContain('/of-admin');
  expect(await it.answer('admin')).toBe(202);
  await it.output();
  expect(asked).toContain('/of-admin');
});

test('an operator rejects such a call', async () => {
  await using it = await ask('admin', command('/rejected'));
  expect(await it.answer('operator', 'rejected')).toBe(202);
  expect(asked).not.toContain('/rejected');
});

test('an operator approves a call without a network in a session of an admin', async () => {
  await using it = await ask('admin', { name: 'write_file', input: { path: '.npmrc', content: 'a=b\n' } });
  expect(await it.answer('operator')).toBe(202);
});

test('an operator approves a call with a network in a session of an operator, which reaches no such address', async () => {
  await using it = await ask('operator', command('/of-operator'));
  expect(await it.answer('operator')).toBe(202);
  await it.output();
  expect(asked).not.toContain('/of-operator');
});
