// Covers apps/server/access, apps/server/projects, apps/server/handlers: the choice of a folder, and folders that the user of the server allows.
import type { IncomingMessage } from 'node:http';
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isProblemError } from '@klaus/server/client';
import { expect, test } from 'vitest';
import { canAllowFolders } from '../../apps/server/access/can-allow-folders.ts';
import type { Identity } from '../../apps/server/access/identity.ts';
import type { Exchange } from '../../apps/server/http/handler.ts';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';

/** Status and code of a refusal; `ok` for an accepted request. */
async function resultOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'ok';
  } catch (error) {
    if (isProblemError(error)) return `${error.problem.status} ${error.problem.code}`;
    throw error;
  }
}

/** The same for a request with any header. */
async function rawResultOf({ server }: TestServer, path: string, headers: Record<string, string>): Promise<string> {
  const answer = await rawRequest(server, {
    method: 'POST',
    path: '/api/projects',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ path, allow: true }),
  });
  if (answer.status < 300) return 'ok';
  return `${answer.status} ${(JSON.parse(answer.body) as { code: string }).code}`;
}

const open = (it: TestServer, workspace: string) =>
  resultOf(it.client.openSession({ body: { text: 'go', workspace } }));

test('the user of the server allows a folder, opens a session in it, and takes that back', async () => {
  using other = createTestHome();
  await using it = await startTestServer();
  const folder = realpathSync(other.workspace);
  mkdirSync(join(folder, 'sub'));
  expect(await open(it, folder)).toBe('403 workspace.outside');
  expect(await it.client.folders({ query: { path: folder } })).toMatchObject({
    path: folder,
    parent: dirname(folder),
    state: 'outside',
    canAllow: true,
    folders: [{ name: 'sub', isRepository: false }],
  });
  const add = (allow?: boolean) => resultOf(it.client.addProject({ body: { path: folder, allow } }));
  expect(await add()).toBe('403 workspace.outside');
  expect(await add(true)).toBe('ok');
  expect(await it.client.folders({ query: { path: folder } })).toMatchObject({ state: 'allowed' });
  expect(await it.client.forgetProject({ query: { path: folder } })).toEqual({ path: folder, wasAllowed: true });
  expect(await open(it, folder)).toBe('403 workspace.outside');
  expect(await add(true)).toBe('ok');
  expect(await open(it, folder)).toBe('ok');
  expect(await open(it, join(folder, 'sub'))).toBe('ok');
  expect(await open(it, dirname(folder))).toMatch(/^403/);
});

test('an allowed folder passes the checks of `server.workspaces`', async () => {
  using other = createTestHome();
  await using it = await startTestServer();
  const folder = realpathSync(other.workspace);
  mkdirSync(join(folder, '.config'));
  symlinkSync('/etc', join(folder, 'link'));
  const refused = ['/', '/etc', '/tmp', '/proc/self/root', it.place.home, dirname(it.place.home)];
  const hidden = [join(folder, '.git'), join(folder, '.config'), join(folder, '.config/new'), join(folder, 'link')];
  for (const path of [...refused, ...hidden]) {
    const result = await resultOf(it.client.addProject({ body: { path, allow: true, create: true } }));
    expect({ path, result }).toEqual({ path, result: '403 workspace.refused' });
  }
  const { projects } = await it.client.projects();
  expect(projects.map(({ path }) => path)).toEqual([realpathSync(it.place.workspace)]);
});

test('a link that replaces an allowed folder allows nothing', async () => {
  using other = createTestHome();
  using target = createTestHome();
  await using it = await startTestServer();
  mkdirSync(join(target.workspace, 'sub'));
  const folder = join(realpathSync(other.workspace), 'new');
  expect(await resultOf(it.client.addProject({ body: { path: folder, allow: true, create: true } }))).toBe('ok');
  rmSync(folder, { recursive: true });
  symlinkSync(target.workspace, folder);
  for (const path of [folder, target.workspace, join(target.workspace, 'sub')])
    expect(await open(it, path)).toBe('403 workspace.outside');
});

test('a request that a proxy or another page sends allows nothing', async () => {
  using other = createTestHome();
  await using it = await startTestServer();
  const port = new URL(it.server.url).port;
  const path = realpathSync(other.workspace);
  const cases: Record<string, string>[] = [
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-proto': 'https' },
    { forwarded: 'for=203.0.113.7' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '203.0.113.7' },
    { origin: 'https://klaus.example.com' },
    { origin: `http://localhost:${port}` },
  ];
  for (const headers of cases)
    expect([headers, await rawResultOf(it, path, headers)]).toEqual([headers, '403 forbidden']);
  expect(await open(it, path)).toBe('403 workspace.outside');
  expect(await rawResultOf(it, path, { origin: it.server.url })).toBe('ok');
});

test('only the user of the server, on its machine, allows a folder', async () => {
  await using it = await startTestServer();
  const ask = (identity: Identity, { remote = '127.0.0.1', host = 'localhost:3001' } = {}) => {
    const request = { socket: { remoteAddress: remote }, headers: { host } } as unknown as IncomingMessage;
    const guard = { ownOrigin: () => `http://${host}` } as unknown as Exchange['guard'];
    return canAllowFolders({ klaus: it.klaus, basePath: '' }, { request, identity, guard });
  };
  const owner: Identity = { role: 'admin' };
  expect(await ask(owner)).toBe(true);
  expect(await ask(owner, { remote: '::ffff:127.0.0.1', host: '[::1]:3001' })).toBe(true);
  const others = [
    ask({ role: 'operator' }),
    ask({ role: 'admin', name: 'a@example.com' }),
    ask({ role: 'admin', folders: ['/srv'] }),
    ask(owner, { remote: '10.0.0.7' }),
    ask(owner, { remote: '::ffff:10.0.0.7' }),
    ask(owner, { host: 'klaus.example.com' }),
    ask(owner, { host: '10.0.0.7:3001' }),
  ];
  expect(await Promise.all(others)).toEqual(others.map(() => false));
});

test.each([
  ['a complete list', { 'server.workspaces': ['/srv/none'] }],
  ['settings that are switched off', { 'server.settings': false }],
  ['a trusted proxy', { 'server.trustProxy': 'loopback' }],
  ['a served origin', { 'server.corsOrigin': ['https://klaus.example.com'] }],
  ['a path of a proxy', { 'server.basePath': '/klaus' }],
] as const)('with %s no client allows a folder, and none of others are listed', async (_, settings) => {
  using other = createTestHome();
  await using it = await startTestServer({ settings });
  const path = realpathSync(other.workspace);
  expect(await rawResultOf(it, path, {})).toBe('403 forbidden');
  expect(await resultOf(it.client.folders({ query: { path } }))).toBe('403 workspace.outside');
  const own = await it.client.folders({ query: {} });
  expect(own).toMatchObject({ path: realpathSync(it.place.workspace), parent: null, canAllow: false });
});

test('the list has folders and links to folders, without hidden ones and files', async () => {
  await using it = await startTestServer();
  const workspace = realpathSync(it.place.workspace);
  for (const name of ['b', 'a/.git', '.hidden']) mkdirSync(join(workspace, name), { recursive: true });
  symlinkSync(join(workspace, 'a'), join(workspace, 'c'));
  symlinkSync(join(workspace, 'nowhere'), join(workspace, 'd'));
  writeFileSync(join(workspace, 'e.txt'), '');
  const { folders, state } = await it.client.folders({ query: { path: workspace } });
  expect({ folders, state }).toEqual({
    folders: [
      { name: 'a', isRepository: true },
      { name: 'b', isRepository: false },
      { name: 'c', isRepository: true },
    ],
    state: 'allowed',
  });
  expect(await resultOf(it.client.folders({ query: { path: join(workspace, 'e.txt') } }))).toMatch(
    /workspace\.missing$/,
  );
  expect(await resultOf(it.client.folders({ query: { path: 'relative' } }))).toMatch(/usage$/);
});
