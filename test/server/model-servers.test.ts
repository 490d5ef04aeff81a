// Covers apps/server/handlers, sdk/models, sdk/config, adapters/models: compatible servers and local models over HTTP.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isProblemError } from '@klaus/server/client';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalProgram } from '../fixtures/local-program.ts';
import { follow, startTestServer, type TestServer } from '../fixtures/server.ts';

const KEY = 'lab-key-77c1e0a9b3d2f4';
/** No key, no keyring, and no program at a usual address. */
const ENV = {
  ANTHROPIC_API_KEY: '',
  AGENT_MODEL: '',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  OLLAMA_HOST: '127.0.0.1:9',
  LLAMA_ARG_PORT: '9',
};
const lab = { params: { name: 'lab' } };

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return '';
  } catch (error) {
    if (isProblemError(error)) return error.problem.code;
    throw error;
  }
}

/** The end of a session with the default model. */
async function play({ client }: Pick<TestServer, 'client'>): Promise<string> {
  const { session } = await client.openSession({ body: { text: 'go' } });
  const followed = follow(client, session);
  const ended = await followed.until('run.finished');
  await followed.stop();
  return ended.type === 'run.finished' ? ended.outcome : '';
}

/** A server that answers each request with this status. */
async function startRefusing(status: number): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `no: ${request.headers.authorization}` } }));
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test('a server is tested, added with its key, used by a session, and removed', async () => {
  await using program = await startLocalProgram({ family: 'vllm', id: 'big' });
  await using it = await startTestServer({ env: ENV });
  const file = join(it.place.home, 'config.yaml');
  writeFileSync(file, '# mine\nservers:\n  # of the company\n  other: { baseUrl: http://127.0.0.1:9/v1 }\n');
  const server = { baseUrl: `${program.origin}/v1`, key: KEY };
  expect(await it.client.tryModelServer({ body: server })).toEqual({
    ...{ result: 'accepted', message: null, models: ['big', 'adapter'] },
  });
  expect(readFileSync(file, 'utf8')).not.toContain('lab');
  const body = { ...server, name: 'lab', model: 'big', isDefault: true };
  expect(await it.client.addModelServer({ body })).toMatchObject({ isStored: true, test: { result: 'accepted' } });
  expect(program.bodies).toHaveLength(1);
  const text = readFileSync(file, 'utf8');
  for (const part of ['# mine', '# of the company', KEY, 'model: lab/big']) expect(text).toContain(part);
  const { servers } = await it.client.modelServers();
  expect(servers).toEqual([
    { name: 'other', baseUrl: 'http://127.0.0.1:9/v1', wire: 'chat', hasKey: false, models: [] },
    { name: 'lab', baseUrl: server.baseUrl, wire: 'chat', hasKey: true, models: ['lab/big'] },
  ]);
  expect((await it.client.models()).models).toContainEqual(
    expect.objectContaining({ name: 'lab/big', usable: true, isDefault: true }),
  );
  expect(await it.client.testModelServer(lab)).toMatchObject({ result: 'accepted' });
  expect(await play(it)).toBe('done');
  // The stored key is never sent to another address.
  expect(
    await codeOf(it.client.addModelServer({ body: { name: 'lab', baseUrl: 'http://127.0.0.1:9/v1', force: true } })),
  ).toBe('usage');
  await it.client.removeModelServer(lab);
  expect(readFileSync(file, 'utf8')).not.toContain(KEY);
  expect(await codeOf(it.client.removeModelServer(lab))).toBe('usage');
  const seen = JSON.stringify([servers, await it.client.configuration()]);
  expect(seen).not.toContain(KEY);
});

test('a refused key and a missing answer are reported without the key, and stored only by force', async () => {
  await using it = await startTestServer({ env: ENV });
  const file = join(it.place.home, 'config.yaml');
  const add = (baseUrl: string, more: object = {}) =>
    it.client.addModelServer({ body: { name: 'lab', baseUrl, key: KEY, ...more } });
  const address = await startRefusing(401);
  for (const model of [{}, { model: 'big' }]) {
    const refused = await add(address, model);
    expect(refused).toMatchObject({ isStored: false, test: { result: 'refused' } });
    expect(JSON.stringify(refused)).not.toContain(KEY);
  }
  expect(await add('http://127.0.0.1:9/v1')).toMatchObject({ isStored: false, test: { result: 'unknown' } });
  expect(await add(await startRefusing(404))).toMatchObject({ isStored: false, test: { result: 'unknown' } });
  expect(existsSync(file)).toBe(false);
  expect(await add(address, { force: true })).toMatchObject({ isStored: true });
});

test('what is no name, address or key is refused without a request', async () => {
  await using it = await startTestServer({ env: ENV });
  const add = (more: object) =>
    codeOf(it.client.addModelServer({ body: { name: 'lab', baseUrl: 'http://127.0.0.1:9/v1', force: true, ...more } }));
  for (const more of [
    { name: 'anthropic' },
    { name: 'Two words' },
    { name: '__proto__' },
    { baseUrl: 'file:///etc/passwd' },
    { baseUrl: 'http://a:b@127.0.0.1:9' },
    { key: 'two words' },
  ])
    expect(await add(more), JSON.stringify(more)).toBe('config');
  expect(existsSync(join(it.place.home, 'config.yaml'))).toBe(false);
});

test('a program is found when asked, and used as it was shown', async () => {
  await using program = await startLocalProgram({ family: 'ollama', id: 'small' });
  await using it = await startTestServer({ env: { ...ENV, OLLAMA_HOST: program.host } });
  await it.client.configuration();
  await it.client.models();
  expect(program.asked).toEqual([]);
  const { servers } = await it.client.localModels();
  const found = servers.find(({ title }) => title === 'Ollama')!;
  expect(found).toMatchObject({
    address: program.origin,
    isLoopback: true,
    isAllowed: false,
    models: ['ollama/small'],
  });
  expect(program.asked.every((request) => request.startsWith('GET '))).toBe(true);
  const { address, user, program: name } = found;
  const use = (more: object) =>
    codeOf(it.client.useLocalModel({ body: { model: 'ollama/small', address, user, program: name, ...more } }));
  for (const more of [
    { user: 'mallory' },
    { address: 'http://127.0.0.1:9' },
    { program: 'other' },
    { model: 'ollama/none' },
  ])
    expect(await use(more), JSON.stringify(more)).toBe('usage');
  expect(existsSync(join(it.place.home, 'local-servers.json'))).toBe(false);
  expect(await use({})).toBe('');
  expect((await it.client.settings()).model).toBe('ollama/small');
  expect((await it.client.localModels()).servers).toMatchObject([{ isAllowed: true }]);
  expect(await play(it)).toBe('done');
});
