// Covers adapters/models: named servers, their keys, headers, addresses, certificates and proxies.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModels, type ModelsOptions } from '@klaus/adapters/models';
import type { ModelServerSettings } from '@klaus/core/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { startConnectProxy } from '../fixtures/connect-proxy.ts';
import { createCertificate } from '../network/certificate.ts';
import { ask, startChatServer } from './model-server.ts';

type Settings = Partial<ModelServerSettings> & { baseUrl: string };
const open = (settings: Settings, options: Partial<ModelsOptions> = {}) =>
  createModels({ keys: {}, env: {}, servers: { mine: { wire: 'chat', ...settings } }, ...options });
const finished = { type: 'finished', parts: [{ type: 'text', text: 'ok' }] };

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-servers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test.for<[what: string, path: string, keyHeader: string | undefined, url: string]>([
  ['a base URL', '/v1/', undefined, '/v1/chat/completions'],
  ['a query', '/v1?team=red', undefined, '/v1/chat/completions?team=red'],
  [
    'a deployment of Azure',
    '/openai/deployments/{model}?api-version=2024-10-21',
    'api-key',
    '/openai/deployments/vendor%2Fm/chat/completions?api-version=2024-10-21',
  ],
  ['a complete address', '/v1/chat/completions?api-version=1', undefined, '/v1/chat/completions?api-version=1'],
])('%s', async ([, path, keyHeader, url]) => {
  using server = await startChatServer();
  const settings = { baseUrl: `http://127.0.0.1:${server.port}${path}`, key: 'k7Qz2Fm2Xp9', keyHeader };
  const model = await open({ ...settings, headers: { 'X-Team': 'red' }, body: { user: 'me' } }).resolve(
    'mine/vendor/m',
  );
  expect(model.name).toBe('mine/vendor/m');
  expect(await ask(model)).toMatchObject(finished);
  const [request] = server.seen;
  expect(request).toMatchObject({ url, body: { model: 'vendor/m', user: 'me' }, headers: { 'x-team': 'red' } });
  if (keyHeader === undefined) expect(request!.headers['authorization']).toBe('Bearer k7Qz2Fm2Xp9');
  else expect(request!.headers).toMatchObject({ [keyHeader]: 'k7Qz2Fm2Xp9' });
  if (keyHeader !== undefined) expect(request!.headers).not.toHaveProperty('authorization');
});

test('Azure by the variables of OpenAI: the path, the header and the field of the limit', async () => {
  using server = await startChatServer();
  await using proxy = await startConnectProxy({ hosts: { 'r.openai.azure.com': server.port } });
  const models = createModels({
    keys: { openai: 'k7Qz2Fm2Xp9' },
    baseUrls: { openai: 'http://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21' },
    env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` },
  });
  expect(await ask(await models.resolve('openai/any'))).toMatchObject(finished);
  expect(server.seen).toMatchObject([
    {
      url: '/openai/deployments/d/chat/completions?api-version=2024-10-21',
      headers: { 'api-key': 'k7Qz2Fm2Xp9' },
      body: { max_completion_tokens: 5 },
    },
  ]);
});

test('what is known of a server and of one of its models', async () => {
  const models = open({
    ...{ baseUrl: 'http://127.0.0.1:9/v1', contextWindow: 32_768, images: false, price: { input: 1, output: 2 } },
    models: { large: { contextWindow: 131_072, maxOutputTokens: 8_192, efforts: ['low', 'high'], temperature: false } },
    tiers: { opus: 'large', haiku: 'small' },
  });
  const large = await models.resolve('opus');
  expect(large).toMatchObject({
    name: 'mine/large',
    info: {
      ...{ contextWindow: 131_072, maxOutputTokens: 8_192, images: false, efforts: ['low', 'high'] },
      prices: [{ above: 0, price: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 } }],
    },
  });
  expect(large.info.maxTemperature).toBeUndefined();
  expect(await models.cheap(large)).toMatchObject({
    name: 'mine/small',
    info: { contextWindow: 32_768, maxOutputTokens: 6_553, maxTemperature: 2 },
  });
});

test('the key of a command is kept until the server refuses it', async () => {
  const folder = createFolder();
  const file = join(folder, 'key');
  const runs = join(folder, 'runs');
  writeFileSync(file, 'first-key-4f1c9b7e\n');
  let valid = 'first-key-4f1c9b7e';
  using server = await startChatServer({
    refuse(request, response) {
      if (request.headers['authorization'] === `Bearer ${valid}`) return false;
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"expired"}}');
      return true;
    },
  });
  const learned: string[] = [];
  const models = open(
    { baseUrl: `http://127.0.0.1:${server.port}`, keyCommand: `echo run >> '${runs}'; cat '${file}'` },
    { onSecret: ({ value }) => learned.push(value) },
  );
  const [a, b] = [await models.resolve('mine/a'), await models.resolve('mine/b')];
  await Promise.all([ask(a), ask(b)]);
  expect(readFileSync(runs, 'utf8')).toBe('run\n');
  valid = 'second-key-77a1c0de';
  writeFileSync(file, valid);
  expect(await ask(a)).toMatchObject(finished);
  expect(await ask(b)).toMatchObject(finished);
  expect(readFileSync(runs, 'utf8')).toBe('run\nrun\n');
  expect(new Set(learned)).toEqual(new Set(['first-key-4f1c9b7e', valid]));
  // A key that is refused again is the failure, not a loop.
  valid = 'unknown';
  const before = server.seen.length;
  expect(await ask(a)).toMatchObject({ type: 'failed', failure: { code: 'auth', status: 401 } });
  expect(server.seen.length - before).toBe(2);
});

test.each([
  ['fails', 'echo secret-on-stdout; echo locked >&2; exit 3', 'locked'],
  ['prints nothing', 'true', 'mine'],
  ['prints several words', 'echo two words', 'mine'],
])('a key command that %s is a failure that does not quote its output', async (_, keyCommand, expected) => {
  using server = await startChatServer();
  const failed = await ask(await open({ baseUrl: `http://127.0.0.1:${server.port}`, keyCommand }).resolve('mine/m'));
  expect(failed).toMatchObject({
    type: 'failed',
    failure: { code: 'auth', message: expect.stringContaining(expected) },
  });
  expect(JSON.stringify(failed)).not.toMatch(/secret-on-stdout|two words/);
  expect(server.seen).toEqual([]);
});

test('a private authority: for one server, for all, and not without it', async () => {
  const certificate = createCertificate(['localhost']);
  using server = await startChatServer({ certificate });
  const caFile = join(createFolder(), 'ca.pem');
  writeFileSync(caFile, certificate.cert);
  const baseUrl = `https://localhost:${server.port}/v1`;
  expect(await ask(await open({ baseUrl }).resolve('mine/m'))).toMatchObject({ failure: { code: 'connection' } });
  expect(await ask(await open({ baseUrl, caFile }).resolve('mine/m'))).toMatchObject(finished);
  expect(await ask(await open({ baseUrl }, { caFile }).resolve('mine/m'))).toMatchObject(finished);
  const provider = createModels({ keys: {}, env: {}, baseUrls: { openai: baseUrl }, caFile });
  expect(await ask(await provider.resolve('openai/m'))).toMatchObject(finished);
});

test('a file without certificates is a wrong setting', async () => {
  const folder = createFolder();
  writeFileSync(join(folder, 'empty.pem'), 'nothing');
  for (const name of ['empty.pem', 'missing.pem']) {
    const models = open({ baseUrl: 'https://localhost:9', caFile: join(folder, name) });
    await expect(models.resolve('mine/m')).rejects.toMatchObject({ code: 'config' });
  }
  expect(existsSync(join(folder, 'missing.pem'))).toBe(false);
});

test('TLS through a proxy of the environment, with a login', async () => {
  const certificate = createCertificate(['model.test']);
  using server = await startChatServer({ certificate });
  await using proxy = await startConnectProxy({ login: 'me:pass word', hosts: { 'model.test': server.port } });
  const caFile = join(createFolder(), 'ca.pem');
  writeFileSync(caFile, certificate.cert);
  const settings = { baseUrl: 'https://model.test/v1', caFile, key: 'k7Qz2Fm2Xp9' };
  const env = { HTTPS_PROXY: `http://me:pass%20word@127.0.0.1:${proxy.port}` };
  const model = await open(settings, { env }).resolve('mine/m');
  expect(await ask(model)).toMatchObject(finished);
  expect(proxy.requests).toEqual(['CONNECT model.test:443']);
  const wrong = { HTTPS_PROXY: `http://me:s3cr3t-word@127.0.0.1:${proxy.port}` };
  const failed = await ask(await open(settings, { env: wrong }).resolve('mine/m'));
  expect(failed).toMatchObject({ type: 'failed', failure: { code: 'connection' } });
  expect(JSON.stringify(failed)).not.toContain('s3cr3t');
});

test('which requests take the proxy', async () => {
  using server = await startChatServer();
  await using proxy = await startConnectProxy({ hosts: { 'model.test': server.port } });
  const address = `http://127.0.0.1:${proxy.port}`;
  const baseUrl = `http://127.0.0.1:${server.port}/v1`;
  const send = async (settings: Settings, env: Record<string, string> = {}) => {
    const before = proxy.requests.length;
    const last = await ask(await open(settings, { env }).resolve('mine/m'));
    return [last.type, proxy.requests.length - before];
  };
  const env = { http_proxy: address };
  expect(await send({ baseUrl: 'http://model.test/v1' }, env)).toEqual(['finished', 1]);
  expect(await send({ baseUrl: 'http://model.test/v1' }, { ALL_PROXY: address })).toEqual(['finished', 1]);
  // Loopback is direct, unless the server itself has a proxy.
  expect(await send({ baseUrl }, env)).toEqual(['finished', 0]);
  expect(await send({ baseUrl, proxy: address })).toEqual(['finished', 1]);
  const excepted = await send({ baseUrl: 'http://model.test/v1' }, { ...env, NO_PROXY: '.test' });
  expect(excepted).toEqual(['failed', 0]);
  expect(await send({ baseUrl: 'http://model.test/v1', proxy: 'off' }, env)).toEqual(['failed', 0]);
});
