// Covers apps/acp/connection, apps/cli/commands: keys that are stored and deleted while an editor runs.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { MAIN, runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { hasTmux, openTerminal } from '../fixtures/terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { startEditor } from './editor.ts';

const PLAIN: Script = { steps: [], fallback: { text: 'Heard.' } };
const KEY = 'sk-ant-editor-5b0c92d7e1f4';

/** The address of a model and no key. The address of a bus that does not exist means no keyring. */
const noKey = (url: string) => ({
  ANTHROPIC_BASE_URL: url,
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
});

async function logIn(place: TestHome, env: Record<string, string>, key = KEY): Promise<void> {
  const { code } = await runKlaus(['login', 'anthropic', '--no-check'], { place, env, stdin: `${key}\n` });
  expect(code).toBe(0);
}

test.each(['authenticate', 'a retry'])('a key that is stored while the editor runs is used after %s', async (how) => {
  using place = createTestHome();
  await using server = await startServer(PLAIN);
  const env = noKey(server.url);
  await using editor = await startEditor({ place, env });
  const { agent } = editor;
  const methodId = editor.initialized.authMethods![0]!.id;
  await expect(editor.open()).rejects.toMatchObject({ code: -32_000 });
  await expect(agent.request('authenticate', { methodId })).rejects.toMatchObject({ code: -32_000 });
  expect(await agent.request('auth/status', {})).toEqual({ state: 'unauthenticated' });
  await logIn(place, env);
  if (how === 'authenticate') expect(await agent.request('authenticate', { methodId })).toEqual({});
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  expect(await agent.request('auth/status', {})).toMatchObject({
    state: 'authenticated',
    accounts: [{ label: expect.stringContaining('Anthropic'), active: true }],
  });
  expect(JSON.stringify(editor.lines)).not.toContain(KEY);
  expect(editor.problems).toEqual([]);
});

/** A gateway in front of the model that accepts one key. */
async function startGateway(target: string, accepted: string) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers['x-api-key'] !== accepted) {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}');
      return;
    }
    const given = await fetch(`${target}${request.url}`, { method: 'POST', body: await text(request) });
    response.writeHead(given.status, { 'content-type': given.headers.get('content-type') ?? '' });
    response.end(await given.text());
  };
  const gateway = createServer((request, response) => void answer(request, response));
  await once(gateway.listen(0, '127.0.0.1'), 'listening');
  const { port } = gateway.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void gateway.close() };
}

test('a key that replaces a refused one works in the sessions that are open', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(PLAIN);
  using gateway = await startGateway(server.url, `${KEY}-2`);
  const env = noKey(gateway.url);
  await logIn(place, env);
  await using editor = await startEditor({ place, env });
  const { sessionId } = await editor.open();
  const other = await editor.open();
  await expect(editor.prompt(sessionId, 'hello')).rejects.toMatchObject({ code: -32_000 });
  await logIn(place, env, `${KEY}-2`);
  const answers = [editor.prompt(sessionId, 'again'), editor.prompt(other.sessionId, 'hello')];
  const third = await editor.open();
  expect(await Promise.all(answers)).toMatchObject([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
  expect(await editor.prompt(third.sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.problems).toEqual([]);
});

test('`logout` deletes the stored keys, and open sessions need one again', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(PLAIN);
  const env = noKey(server.url);
  await logIn(place, env);
  await using editor = await startEditor({ place, env });
  expect(editor.initialized.agentCapabilities?.auth?.logout).toEqual({});
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, 'hello');
  expect(await editor.agent.request('logout', {})).toEqual({});
  expect(readFileSync(join(place.home, 'keys.json'), 'utf8')).not.toContain(KEY);
  expect(await editor.agent.request('auth/status', {})).toEqual({ state: 'unauthenticated' });
  const requests = server.requests.length;
  await expect(editor.prompt(sessionId, 'more')).rejects.toMatchObject({ code: -32_000 });
  expect(server.requests).toHaveLength(requests);
  await expect(editor.open()).rejects.toMatchObject({ code: -32_000 });
  // Nothing is left to delete.
  expect(await editor.agent.request('logout', {})).toEqual({});
  await logIn(place, env);
  expect(await editor.prompt(sessionId, 'more')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.problems).toEqual([]);
});

test('`logout` reports a key of the environment, which it cannot delete', async () => {
  using place = createTestHome();
  await using server = await startServer(PLAIN);
  const env = noKey(server.url);
  await logIn(place, env);
  await using editor = await startEditor({ place, server, env });
  const refused = editor.agent.request('logout', {});
  await expect(refused).rejects.toMatchObject({ code: -32_600, message: expect.stringContaining('ANTHROPIC_API_KEY') });
  expect(readFileSync(join(place.home, 'keys.json'), 'utf8')).not.toContain(KEY);
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.problems).toEqual([]);
});

test('at a server, the keys are those of the server', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(PLAIN);
  const serve = await startServeProcess(place, server);
  const env = { KLAUS_HOME: `${place.home}-elsewhere`, KLAUS_SERVER_TOKEN: 'a-secret-of-the-test' };
  const capabilities = { auth: { terminal: true } };
  await using editor = await startEditor({ place, env, capabilities, words: ['--server', serve.url] });
  const { agentCapabilities, authMethods = [] } = editor.initialized;
  expect(agentCapabilities?.auth?.logout).toBeUndefined();
  expect(authMethods.map(({ id }) => id)).toEqual(['api-key']);
  await expect(editor.agent.request('logout', {})).rejects.toMatchObject({ code: -32_601 });
  expect(await editor.agent.request('authenticate', { methodId: 'api-key' })).toEqual({});
  expect(await editor.agent.request('auth/status', {})).toEqual({ state: 'authenticated' });
  // A session of the server is deleted there.
  const { sessionId } = await editor.open();
  expect(await editor.agent.request('session/delete', { sessionId })).toEqual({});
  expect((await editor.agent.request('session/list', {})).sessions).toEqual([]);
  expect(editor.problems).toEqual([]);
  await editor.end();
  serve.process.kill('SIGTERM');
  await serve.process.ended;
});

test.skipIf(!hasTmux)('an editor with terminals gets a method that stores a key in one of them', async () => {
  using place = createTestHome();
  await using server = await startServer(PLAIN);
  const env = noKey(server.url);
  const capabilities = { auth: { terminal: true } };
  await using editor = await startEditor({ place, env, capabilities, words: ['--approve', 'ask'] });
  const method = editor.initialized.authMethods?.find((each) => 'type' in each && each.type === 'terminal');
  expect(method).toMatchObject({ type: 'terminal', args: ['--login'] });
  await expect(editor.open()).rejects.toMatchObject({ code: -32_000 });
  // The editor runs its own command line with the arguments of the method.
  const command = [process.execPath, MAIN, 'acp', '--approve', 'ask', '--login'];
  await using terminal = await openTerminal(command, { env: toEnv({ place, env }), cwd: place.workspace });
  await terminal.shows('Anthropic');
  await terminal.type('Enter');
  await terminal.shows('Key of Anthropic');
  await terminal.type(KEY);
  await terminal.type('Enter');
  expect(await terminal.exitCode()).toBe(0);
  // Clients do not pass this method to `authenticate`, so that the retry uses the key.
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.problems).toEqual([]);
});
