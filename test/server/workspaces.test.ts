// Covers apps/server/access: workspaces that clients may use.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKlaus } from '@klaus/sdk';
import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import { runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { rawRequest, startServeProcess, startTestServer, type TestServer } from '../fixtures/server.ts';

/** How a client names a workspace, by door: the status and code of the answer, or `begun`. */
const DOORS: Record<string, (it: TestServer, workspace: string) => Promise<string>> = {
  'POST /api/sessions': (it, workspace) => post(it, '/api/sessions', { text: 'go', workspace }),
  'POST /api/sessions without a prompt': (it, workspace) => post(it, '/api/sessions', { workspace }),
  'POST /api/prompt': (it, workspace) => post(it, '/api/prompt', { message: 'go', workspace }),
  'Socket.IO': async (it, workspace) => {
    const socket = io(it.server.url, { extraHeaders: { authorization: `Bearer ${it.server.token}` } });
    const reply = (await socket.emitWithAck('prompt', { message: 'go', workspace })) as Record<string, unknown>;
    socket.disconnect();
    return 'sessionId' in reply ? 'begun' : 'refused';
  },
};

async function post({ server }: TestServer, path: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const answer = await rawRequest(server, { method: 'POST', path, headers, body: JSON.stringify(body) });
  if (answer.status < 300) return 'begun';
  const { code, detail } = JSON.parse(answer.body) as { code: string; detail: string };
  expect(detail).toContain('server.workspaces');
  return `${answer.status} ${code}`;
}

test.each(Object.entries(DOORS))('%s begins no session outside of the workspaces', async (name, begin) => {
  await using it = await startTestServer();
  const { workspace } = it.place;
  mkdirSync(join(workspace, 'sub'));
  mkdirSync(join(workspace, '..', 'other'));
  symlinkSync('/etc', join(workspace, 'link'));
  const places = {
    refused: ['/', '/etc', '/root', it.place.home, join(workspace, '.git'), join(workspace, 'link'), '/proc/self/root'],
    outside: [join(workspace, '..', 'other'), `${workspace}/../other`, `${workspace}-none`],
  };
  for (const [what, paths] of Object.entries(places)) {
    for (const path of paths) {
      const said = await begin(it, path);
      expect({ path, said }).toEqual({ path, said: name === 'Socket.IO' ? 'refused' : `403 workspace.${what}` });
    }
  }
  expect(await it.klaus.sessions()).toEqual([]);
  for (const path of [workspace, `${workspace}/`, join(workspace, 'sub')])
    expect({ path, said: await begin(it, path) }).toEqual({ path, said: 'begun' });
});

test('a grant opens no folder outside of the workspaces', async () => {
  using other = createTestHome();
  await using it = await startTestServer();
  const begin = (folder: string): Promise<string> =>
    post(it, '/api/sessions', { text: 'go', grant: ['file-operations code-execution', `fs(${folder}, r)`] });
  expect(await begin(other.workspace)).toBe('403 workspace.outside');
  expect(await begin(dirname(it.place.workspace))).toBe('403 workspace.refused');
  expect(await it.klaus.sessions()).toEqual([]);
  await using listing = await startTestServer({ settings: { 'server.workspaces': [other.workspace] } });
  const known = { text: 'go', workspace: other.workspace, grant: [`fs(${other.workspace}, r)`] };
  expect(await post(listing, '/api/sessions', known)).toBe('begun');
});

test('folders of the setting, and those of known sessions, are workspaces', async () => {
  using other = createTestHome();
  await using listing = await startTestServer({ settings: { 'server.workspaces': [other.workspace] } });
  expect(await post(listing, '/api/sessions', { workspace: other.workspace })).toBe('begun');
  await using knowing = await startTestServer();
  expect(await post(knowing, '/api/sessions', { workspace: other.workspace })).toBe('403 workspace.outside');
  await knowing.klaus.open({ workspace: other.workspace });
  expect(await post(knowing, '/api/sessions', { workspace: other.workspace })).toBe('begun');
});

test('a session that the terminal let in anywhere opens nothing, and is not forked', async () => {
  await using it = await startTestServer();
  const { id } = await it.klaus.open({ workspace: '/etc', allowAnyWorkspace: true });
  for (const workspace of ['/etc', '/etc/ssl']) expect(await post(it, '/api/sessions', { workspace })).toMatch(/^403/);
  expect(await post(it, `/api/sessions/${id}/fork`, {})).toBe('403 workspace.refused');
  expect((await it.client.workspaces()).workspaces.map(({ path }) => path)).toEqual([it.place.workspace]);
});

test('no file of a project adds a folder', async () => {
  using place = createTestHome();
  mkdirSync(join(place.workspace, '.klaus'));
  writeFileSync(join(place.workspace, '.klaus/config.yaml'), 'server:\n  workspaces: [/]\n');
  await using model = await startServer({ steps: [] });
  const opened = createKlaus({ home: place.home, cwd: place.workspace, env: toEnv({ place, server: model }) });
  const values = await opened.then(
    async (klaus) => {
      const listed = klaus.configuration.get('server.workspaces');
      await klaus.close();
      return listed;
    },
    (error: unknown) => String(error),
  );
  if (typeof values === 'string') expect(values).toContain('server.workspaces');
  else expect(values).toEqual([]);
});

test('the command line says what the setting is', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using model = await startServer({ steps: [{ reply: { text: 'Done.' } }] });
  const serve = await startServeProcess(place, model);
  const env = { KLAUS_SERVER: serve.url, KLAUS_SERVER_TOKEN: 'a-secret-of-the-test', KLAUS_HOME: `${place.home}-else` };
  const ran = await runKlaus(['run', '--cwd', '/srv/none', 'go'], { place, env });
  serve.process.kill('SIGTERM');
  await serve.process.ended;
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('/srv/none');
  expect(ran.stderr).toContain('server.workspaces');
});
