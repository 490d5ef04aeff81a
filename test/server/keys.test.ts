// Covers apps/server/handlers, sdk/models, sdk/config, sdk/engine: keys of providers over HTTP.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isProblemError } from '@klaus/server/client';
import { expect, test } from 'vitest';
import type { Script } from '@klaus/sdk';
import { follow, rawRequest, startServeProcess, startTestServer, type TestServer } from '../fixtures/server.ts';
import { startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const KEY = 'sk-ant-page-77c1e0a9b3d2f4';
const OTHER = 'sk-ant-page-0f2d4c6b8a1357';
/** No keyring: the address of its bus does not exist. */
const NO_KEY = { ANTHROPIC_API_KEY: '', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
const FINE: Script = { steps: [], fallback: { text: 'Done.' } };

/** Refuses the first request, and quotes the key. */
function refuse(status: number): Script {
  const message = `no such key ${KEY}`;
  return { steps: [{ reply: {}, faults: [{ kind: 'status', status, message }] }], fallback: { text: 'Done.' } };
}

const start = (script: Script, env: Record<string, string> = NO_KEY) => startTestServer({ script, env });
const set = ({ client }: Pick<TestServer, 'client'>, key: string, force = false) =>
  client.setKey({ params: { provider: 'anthropic' }, body: { key, force } });

async function find({ client }: Pick<TestServer, 'client'>, provider = 'anthropic') {
  return (await client.keys()).providers.find((each) => each.provider === provider)!;
}

/** The end of a session with one prompt, or the code of the refusal. */
async function play({ client }: Pick<TestServer, 'client'>): Promise<string> {
  try {
    const { session } = await client.openSession({ body: { text: 'go' } });
    const followed = follow(client, session);
    const ended = await followed.until('run.finished');
    await followed.stop();
    return ended.type === 'run.finished' ? ended.outcome : '';
  } catch (error) {
    if (isProblemError(error)) return error.problem.code;
    throw error;
  }
}

test('a key is tested, stored for this user only, and in force at once; without it, no run starts', async () => {
  await using it = await start(FINE);
  expect(await play(it)).toBe('auth');
  expect(await find(it)).toMatchObject({ source: null, stored: null, test: null, variables: expect.any(Array) });
  const answer = await set(it, ` ${KEY}\n`);
  expect(answer).toMatchObject({
    isStored: true,
    test: { result: 'accepted', message: null },
    provider: { source: 'key file', stored: 'file', test: { result: 'accepted' } },
  });
  expect(it.model.requests).toHaveLength(1);
  expect(statSync(join(it.place.home, 'keys.json')).mode & 0o777).toBe(0o600);
  expect((await it.client.models()).models.some(({ usable }) => usable)).toBe(true);
  expect(await play(it)).toBe('done');
  const removed = await it.client.removeKey({ params: { provider: 'anthropic' } });
  expect(removed).toMatchObject({ isRemoved: true, provider: { source: null, stored: null, test: null } });
  expect(await play(it)).toBe('auth');
});

test.for([401, 403])(
  'a key that the provider refuses with %i is reported, and stored only by force',
  async (status) => {
    await using it = await start(refuse(status));
    const refused = await set(it, KEY);
    expect(refused).toMatchObject({ isStored: false, test: { result: 'refused', message: expect.any(String) } });
    expect(JSON.stringify(refused)).not.toContain(KEY);
    expect(existsSync(join(it.place.home, 'keys.json'))).toBe(false);
    await using again = await start(refuse(status));
    expect(await set(again, KEY, true)).toMatchObject({
      isStored: true,
      provider: { stored: 'file', test: { result: 'refused' } },
    });
  },
);

test('without an answer of the provider the result is unknown, and nothing is stored', async () => {
  await using it = await start(FINE, { ...NO_KEY, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' });
  expect(await set(it, KEY)).toMatchObject({ isStored: false, test: { result: 'unknown' } });
});

test('a key of a variable stays in use, and the key in use is tested by a request', async () => {
  await using it = await start(FINE, { DBUS_SESSION_BUS_ADDRESS: NO_KEY.DBUS_SESSION_BUS_ADDRESS });
  expect(await set(it, KEY)).toMatchObject({
    isStored: true,
    provider: { source: 'environment', where: 'ANTHROPIC_API_KEY', stored: 'file', test: null },
  });
  expect(await it.client.testKey({ params: { provider: 'anthropic' } })).toMatchObject({
    test: { result: 'accepted' },
  });
  expect((await find(it)).test).toMatchObject({ result: 'accepted' });
  const codes = ['nowhere', 'openai'].map((provider) =>
    it.client.testKey({ params: { provider } }).then(
      () => '',
      (error: unknown) => (isProblemError(error) ? error.problem.code : String(error)),
    ),
  );
  expect(await Promise.all(codes)).toEqual(['usage', 'auth']);
});

test('a text that is no key is refused without a request', async () => {
  await using it = await start(FINE);
  const error: unknown = await set(it, 'two words').catch((thrown: unknown) => thrown);
  expect(isProblemError(error) && error.problem).toMatchObject({ code: 'config' });
  expect(JSON.stringify(isProblemError(error) && error.problem)).not.toContain('two words');
  expect(it.model.requests).toHaveLength(0);
});

/** All text in a folder and below it, except the key file. */
function readAll(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== 'keys.json')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

test('a key is in no log, answer, event or address, also if it was refused or replaced', async () => {
  using place = createTestHome();
  const model = await startServer(refuse(401));
  const served = await startServeProcess(place, model, { env: { ...NO_KEY, LOG_LEVEL: 'debug' } });
  const answers = [await set(served, KEY), await set(served, OTHER), await set(served, KEY)];
  // A client that logs its mistake, and a model that quotes the replaced key.
  const headers = { ...served.headers, 'content-type': 'application/json' };
  const path = '/api/keys/anthropic';
  const wrong = [
    await rawRequest(served, { method: 'PUT', path, headers, body: JSON.stringify({ key: [KEY] }) }),
    await rawRequest(served, { method: 'PUT', path, headers, body: `{"key": "${KEY}` }),
    await rawRequest(served, { method: 'PUT', path: '/api/keys/none', headers, body: JSON.stringify({ key: KEY }) }),
  ];
  expect(wrong.map(({ status }) => status)).toEqual([400, 400, 400]);
  const { session } = await served.client.openSession({ body: { text: `is ${OTHER} or ${KEY} right?` } });
  const followed = follow(served.client, session);
  await followed.until('run.finished');
  const seen = JSON.stringify([answers, wrong, followed.events, await served.client.configuration()]);
  await followed.stop();
  served.process.kill('SIGTERM');
  const { stdout, stderr } = await served.process.ended;
  const everywhere = seen + stdout + stderr + readAll(place.home) + readAll(place.workspace);
  for (const key of [KEY, OTHER]) expect(everywhere.includes(key), key).toBe(false);
  expect(readFileSync(join(place.home, 'keys.json'), 'utf8')).toContain(KEY);
  await model.close();
});
