// Covers apps/server/handlers, apps/server/access, sdk/config, sdk/engine: settings and checks over HTTP.
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProblemError } from '@klaus/server/client';
import { SETTING_KEYS } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { rawRequest, startTestServer, type TestServer } from '../fixtures/server.ts';

const FILE = `# mine
approve: ask # careful
limits.tokens: 7
limits:
  toolCalls: 3
`;

const fileOf = ({ place }: TestServer) => join(place.home, 'config.yaml');
const change = ({ client }: TestServer, key: string, value: unknown) =>
  client.changeSetting({ params: { key }, body: { value: value as string } });

async function find({ client }: TestServer, key: string) {
  return (await client.configuration()).settings.find((each) => each.key === key)!;
}

async function refusal(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => expect.unreachable('it was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!isProblemError(error)) throw error;
  return error.problem;
}

test('every setting has its value, default and source, and no secret is shown', async () => {
  await using it = await startTestServer({
    env: { AGENT_WEBHOOK_SECRET: 'a-very-secret-word' },
    settings: { 'limits.usd': 3 },
  });
  const { settings, file } = await it.client.configuration();
  expect(file).toBe(fileOf(it));
  expect(settings.map(({ key }) => key)).toEqual(SETTING_KEYS);
  const by = new Map(settings.map((each) => [each.key, each]));
  expect(by.get('limits.usd')).toMatchObject({ data: 3, fallback: 0, source: 'option', lock: 'option' });
  expect(by.get('limits.usd')!.input).toEqual({ kind: 'number', isInteger: false, least: 0 });
  expect(by.get('model')).toMatchObject({ source: 'environment', where: 'AGENT_MODEL', lock: 'environment' });
  expect(by.get('approve')).toMatchObject({ data: 'auto', input: { kind: 'choice' } });
  expect(by.get('approve')!.lock).toBeUndefined();
  expect(by.get('server.webhookSecret')).toMatchObject({ data: null, lock: 'machine' });
  for (const key of ['hooks', 'aiSdk', 'baseUrls.anthropic', 'server.settings', 'keys.anthropic'])
    expect(by.get(key)!.lock, key).toBe('machine');
  expect(JSON.stringify(settings)).not.toMatch(/a-very-secret-word|sk-ant/);
});

test('a change is written into the file, keeps the rest of it, and is in force for the next session', async () => {
  await using it = await startTestServer();
  writeFileSync(fileOf(it), FILE);
  expect(await change(it, 'limits.tokens', 500)).toMatchObject({ data: 500, source: 'user file' });
  await change(it, 'limits.usd', 2.5);
  await change(it, 'sandbox.env', ['CI', 'NODE_*']);
  const text = readFileSync(fileOf(it), 'utf8');
  expect(text).toMatch(
    /^# mine\napprove: ask # careful\nlimits\.tokens: 500\nlimits:\n {2}toolCalls: 3\n {2}usd: 2\.5\n/,
  );
  expect(statSync(fileOf(it)).mode & 0o777).toBe(0o600);
  const { session } = await it.client.openSession({ body: {} });
  const opened = await it.client.session({ params: { id: session } });
  expect(opened).toMatchObject({ mode: 'ask', limits: { tokens: 500, usd: 2.5, toolCalls: 3 } });
  // Removed, the default applies again; an empty group does not stay.
  await change(it, 'limits.tokens', null);
  await change(it, 'limits.usd', null);
  await change(it, 'limits.toolCalls', null);
  await change(it, 'sandbox.env', null);
  expect(readFileSync(fileOf(it), 'utf8')).toBe('# mine\napprove: ask # careful\n');
  expect(await change(it, 'approve', null)).toMatchObject({ data: 'auto', source: 'default' });
  expect(await change(it, 'limits.turns', 9)).toMatchObject({ data: 9 });
  expect(readFileSync(fileOf(it), 'utf8')).toMatch(/limits:\n {2}turns: 9\n$/);
});

test('a file that the user changes in an editor is in force without a restart', async () => {
  await using it = await startTestServer();
  expect((await it.client.settings()).mode).toBe('auto');
  writeFileSync(fileOf(it), 'approve: plan\n');
  expect((await it.client.settings()).mode).toBe('plan');
  const { session } = await it.client.openSession({ body: {} });
  expect((await it.client.session({ params: { id: session } })).mode).toBe('plan');
  // An invalid file is reported with its line, and nothing runs with settings that are not known.
  writeFileSync(fileOf(it), 'approve: plan\nlimits.usd: much\n');
  expect((await it.client.settings()).mode).toBe('plan');
  for (const work of [it.client.configuration(), it.client.openSession({ body: {} })]) {
    const { code, title } = await refusal(work);
    expect(code).toBe('config');
    expect(title).toContain(`${fileOf(it)}:2`);
  }
  writeFileSync(fileOf(it), 'approve: ask\n');
  expect((await find(it, 'approve')).data).toBe('ask');
});

test('what is wrong or set elsewhere is refused, and the file does not change', async () => {
  await using it = await startTestServer({
    env: { KLAUS_BUDGET_USD: '4' },
    settings: { 'limits.turns': 2 },
    files: { '.klaus/config.yaml': 'limits.toolCalls: 5\n', '.git/HEAD': 'ref: refs/heads/main\n' },
  });
  writeFileSync(fileOf(it), 'approve: ask\n');
  const codeOf = async (key: string, value: unknown) => (await refusal(change(it, key, value))).code;
  expect(await codeOf('limits.usd', 1)).toBe('denied');
  expect(await codeOf('limits.turns', 1)).toBe('denied');
  expect((await find(it, 'limits.toolCalls')).lock).toBe('project file');
  expect(await codeOf('limits.toolCalls', 1)).toBe('denied');
  expect((await refusal(change(it, 'limits.usd', 1))).title).toContain('KLAUS_BUDGET_USD');
  for (const key of [
    'hooks',
    'server.settings',
    'server.secret',
    'cluster.bucket',
    'cluster.temporalCaFile',
    'keys.anthropic',
    'aiSdk',
    'baseUrls.openai',
    'workspace',
  ])
    expect(await codeOf(key, null), key).toBe('denied');
  expect(await codeOf('approve', 'always')).toBe('config');
  expect(await codeOf('approve', { $ne: 1 })).toBe('config');
  expect(await codeOf('limits.tokens', -1)).toBe('config');
  expect(await codeOf('limits.nothing', 1)).toBe('usage');
  expect(await codeOf('__proto__', 1)).toBe('usage');
  expect(readFileSync(fileOf(it), 'utf8')).toBe('approve: ask\n');
});

test('a file that cannot be read as settings is not overwritten', async () => {
  await using it = await startTestServer();
  writeFileSync(fileOf(it), '- one\n');
  expect((await refusal(change(it, 'approve', 'ask'))).title).toContain(fileOf(it));
  expect(readFileSync(fileOf(it), 'utf8')).toBe('- one\n');
  // A value that an anchor shares cannot be changed alone.
  writeFileSync(fileOf(it), 'limits: &one\n  tokens: 5\nretry: {attempts: 2}\n');
  expect(await change(it, 'limits.tokens', 6)).toMatchObject({ data: 6 });
  rmSync(fileOf(it));
  mkdirSync(fileOf(it));
  expect((await refusal(change(it, 'approve', 'ask'))).code).toBe('config');
});

test.skipIf(process.getuid?.() === 0)(
  'a file that cannot be written is named (needs a user without root)',
  async () => {
    await using it = await startTestServer();
    chmodSync(it.place.home, 0o500);
    try {
      const problem = await refusal(change(it, 'approve', 'ask'));
      expect(problem).toMatchObject({ code: 'config', title: expect.stringContaining(fileOf(it)) });
    } finally {
      chmodSync(it.place.home, 0o700);
    }
  },
);

test('the checks are those of klaus doctor, for the state folder of the server', async () => {
  await using it = await startTestServer();
  const { checks } = await it.client.checks();
  const names = checks.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['node', 'git', 'sandbox bubblewrap', 'configuration', 'keys', 'home']));
  expect(checks.find(({ name }) => name === 'home')!.text).toContain(it.place.home);
  expect(JSON.stringify(checks)).not.toMatch(/sk-ant/);
});

test('switched off, every route of settings refuses, and the page knows it', async () => {
  await using it = await startTestServer({ env: { KLAUS_SERVER_SETTINGS: 'false' } });
  expect((await it.client.settings()).hasSettings).toBe(false);
  const provider = { params: { provider: 'anthropic' } };
  const ways = [
    it.client.configuration(),
    change(it, 'approve', 'ask'),
    change(it, 'server.settings', true),
    it.client.checks(),
    it.client.keys(),
    it.client.setKey({ ...provider, body: { key: 'sk-ant-x' } }),
    it.client.testKey(provider),
    it.client.removeKey(provider),
  ];
  const problems = await Promise.all(ways.map(refusal));
  for (const problem of problems) expect(problem).toMatchObject({ code: 'forbidden', status: 403 });
  expect(it.model.requests).toHaveLength(0);
});

test('an administrator switches it off in the file, without a restart', async () => {
  await using it = await startTestServer();
  expect((await find(it, 'server.settings')).data).toBe(true);
  writeFileSync(fileOf(it), 'server.settings: false\n');
  expect(await refusal(it.client.keys())).toMatchObject({ code: 'forbidden' });
  expect((await it.client.settings()).hasSettings).toBe(false);
});

test('a page of another site changes nothing', async () => {
  await using it = await startTestServer();
  const headers = {
    authorization: `Bearer ${it.server.token}`,
    'content-type': 'application/json',
    origin: 'https://example.com',
  };
  const body = JSON.stringify({ value: 'plan' });
  const { status } = await rawRequest(it.server, { method: 'PUT', path: '/api/configuration/approve', headers, body });
  expect(status).toBe(403);
  expect((await find(it, 'approve')).data).toBe('auto');
});
