// Covers adapters/models/local, adapters/models/servers: programs that serve models on the machine of their user.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Model, ModelEvent } from '../../core/agent/index.ts';
import { isKlausError, type ModelServerSettings } from '../../core/protocol/index.ts';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalProgram, type LocalFamily, type LocalProgramOptions } from '../fixtures/local-program.ts';
import { createModels, type ModelsOptions } from '../../adapters/models/index.ts';
import { lookAt } from '../../adapters/models/local/find-local.ts';
import { LOCAL_FAMILIES, toLocalPlace } from '../../adapters/models/local/local-place.ts';

const FAMILIES = ['ollama', 'llamacpp', 'lmstudio', 'vllm'] as const satisfies LocalFamily[];
const ALLOWED: ModelsOptions['local'] = { isAllowed: () => true };

async function start(options: LocalProgramOptions) {
  const program = await startLocalProgram(options);
  onTestFinished(() => program[Symbol.asyncDispose]());
  return program;
}

/** A model of a configured server, so that no usual port is needed. */
async function open(options: LocalProgramOptions, settings: Partial<ModelServerSettings> = {}) {
  const program = await start(options);
  const notices: string[] = [];
  const baseUrl = `${program.origin}/v1`;
  const servers = { own: { baseUrl, wire: 'chat' as const, family: options.family, ...settings } };
  const models = createModels({ keys: {}, servers, env: {}, onNotice: (text) => notices.push(text) });
  return { program, notices, models };
}

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return error.code;
  }
}

test('each program that is looked for has a test here', () => {
  expect(LOCAL_FAMILIES).toEqual(FAMILIES);
});

test.each(FAMILIES)('%s is recognised by its answers, with GET alone, and is none of the others', async (family) => {
  const program = await start({ family, id: 'qwen3' });
  for (const each of FAMILIES) {
    const found = await lookAt({ ...toLocalPlace(each, {}), origin: program.origin });
    expect([each, found?.models[0]?.id]).toEqual([each, each === family ? 'qwen3' : undefined]);
  }
  expect(program.asked.every((line) => line.startsWith('GET '))).toBe(true);
});

test.each<[name: string, answer: (url: string) => { status: number; body: string; location?: string }]>([
  ['a page', () => ({ status: 200, body: '<html>hello</html>' })],
  ['JSON of another shape', () => ({ status: 200, body: '{"models":[{"name":"m"}],"data":[{"id":"m"}]}' })],
  ['a redirect to a real program', (url) => ({ status: 302, body: '', location: url })],
  ['more than 64 KB', () => ({ status: 200, body: JSON.stringify({ version: '1', pad: 'x'.repeat(70_000) }) })],
])('%s is no program', async (_, answer) => {
  const real = await start({ family: 'ollama' });
  const server = createServer((request, response) => {
    const { status, body, location } = answer(`${real.origin}${request.url}`);
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const family of FAMILIES) expect(await lookAt({ ...toLocalPlace(family, {}), origin })).toBeUndefined();
  expect(real.asked).toEqual([]);
});

test('a program that does not answer is given up', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await lookAt({ ...toLocalPlace('vllm', {}), origin })).toBeUndefined();
});

test.each<[host: string | undefined, origin: string, isLoopback: boolean]>([
  [undefined, 'http://127.0.0.1:11434', true],
  ['', 'http://127.0.0.1:11434', true],
  ['0.0.0.0', 'http://127.0.0.1:11434', true],
  ['0.0.0.0:8000', 'http://127.0.0.1:8000', true],
  [':8000', 'http://127.0.0.1:8000', true],
  ['::', 'http://[::1]:11434', true],
  ['[::]:8000', 'http://[::1]:8000', true],
  ['localhost', 'http://localhost:11434', true],
  ['10.0.0.5', 'http://10.0.0.5:11434', false],
  ['nas.local:80', 'http://nas.local', false],
  ['https://models.example.com', 'https://models.example.com', false],
  ['http://10.0.0.5:8000/', 'http://10.0.0.5:8000', false],
  ['not a host', 'http://127.0.0.1:11434', true],
])('OLLAMA_HOST=%s is %s', (host, origin, isLoopback) => {
  expect(toLocalPlace('ollama', { OLLAMA_HOST: host })).toMatchObject({ origin, isLoopback });
});

test('nothing is sent to a program that the user did not allow', async () => {
  const program = await start({ family: 'ollama', id: 'qwen3:8b' });
  const env = { OLLAMA_HOST: program.host };
  expect(await codeOf(createModels({ keys: {}, env }).resolve('ollama/qwen3:8b'))).toBe('config');
  const asked: string[] = [];
  const local = {
    isAllowed(place: { origin: string; owner: { user: string } }) {
      asked.push(`${place.origin} ${typeof place.owner.user}`);
      return false;
    },
  };
  expect(await codeOf(createModels({ keys: {}, env, local }).resolve('ollama/qwen3:8b'))).toBe('config');
  expect(asked).toEqual([`${program.origin} string`]);
  expect(program.asked.every((line) => line.startsWith('GET '))).toBe(true);
  expect(program.bodies).toEqual([]);
});

test('nothing is sent on a new connection when another user owns the socket', async () => {
  const program = await start({ family: 'ollama', id: 'qwen3:8b' });
  let isOwn = true;
  const local = { isAllowed: () => isOwn };
  const model = await createModels({ keys: {}, env: { OLLAMA_HOST: program.host }, local }).resolve('ollama/qwen3:8b');
  expect((await ask(model)).at(-1)).toMatchObject({ type: 'finished' });
  program.disconnect();
  isOwn = false;
  expect((await ask(model)).at(-1)).toMatchObject({ type: 'failed', failure: { code: 'auth' } });
  expect(program.bodies).toHaveLength(1);
});

test('an allowed program answers, costs nothing, and has only its own models', async () => {
  const program = await start({ family: 'ollama', id: 'qwen3:8b' });
  const models = createModels({ keys: {}, env: { OLLAMA_HOST: program.host }, local: ALLOWED });
  const model = await models.resolve('ollama/qwen3:8b');
  expect(model.info).toMatchObject({ contextWindow: 32_768, images: false, efforts: [] });
  expect(model.info.prices).toEqual([{ above: 0, price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }]);
  expect((await ask(model)).at(-1)).toMatchObject({ type: 'finished' });
  expect(await models.cheap(model)).toBe(model);
  expect(await codeOf(models.resolve('ollama/llama9'))).toBe('model.unknown');
});

test('a program that is not there is a wrong configuration', async () => {
  const program = await startLocalProgram({ family: 'ollama' });
  await program[Symbol.asyncDispose]();
  const models = createModels({ keys: {}, env: { OLLAMA_HOST: program.host }, local: ALLOWED });
  expect(await codeOf(models.resolve('ollama/m'))).toBe('config');
});

test.each(FAMILIES)('%s: the window, tools and images are those of the server', async (family) => {
  const { models } = await open({ family, window: 20_480, images: true, thinking: true });
  const { info } = await models.resolve('own/m');
  expect(info.contextWindow).toBe(20_480);
  expect(info.images).toBe(true);
  expect(info.maxOutputTokens).toBe(4_096);
});

test.each(['llamacpp', 'lmstudio', 'ollama'] as const)('%s: a model without images gets none', async (family) => {
  const { models } = await open({ family });
  expect((await models.resolve('own/m')).info.images).toBe(false);
});

test('a configured server can correct what the program says, for one model', async () => {
  const { models } = await open(
    { family: 'llamacpp', window: 4_096, tools: false },
    { models: { m: { contextWindow: 65_536, images: true, tools: true } } },
  );
  const model = await models.resolve('own/m');
  expect(model.info).toMatchObject({ contextWindow: 65_536, images: true });
  expect((await ask(model, TOOLS)).at(-1)).toMatchObject({ type: 'finished' });
});

test('an adapter of vLLM has the window of its model', async () => {
  const { models } = await open({ family: 'vllm', window: 20_480 });
  expect((await models.resolve('own/adapter')).info.contextWindow).toBe(20_480);
});

test('Ollama loads a model without a prompt, so that its window is known', async () => {
  const { models, program } = await open({ family: 'ollama', window: 24_576, isLoaded: false });
  expect((await models.resolve('own/m')).info.contextWindow).toBe(24_576);
  expect(program.asked).toContain('POST /api/generate');
  expect(program.bodies).toEqual([]);
});

test.each<[name: string, options: LocalProgramOptions]>([
  ['LM Studio has not loaded the model', { family: 'lmstudio', isLoaded: false }],
  ['the server says nothing', { family: 'vllm', pages: { '/v1/models': undefined } }],
])('%s: the window is not assumed', async (_, options) => {
  expect(await codeOf((await open(options)).models.resolve('own/m'))).toBe('config');
  const { models } = await open(options, { contextWindow: 8_192 });
  expect((await models.resolve('own/m')).info.contextWindow).toBe(8_192);
});

test('a window that is too small is reported with the command that enlarges it', async () => {
  const { models, notices } = await open({ family: 'ollama', id: 'qwen3:8b', window: 4_096 });
  await models.resolve('own/qwen3:8b');
  expect(notices).toHaveLength(1);
  for (const part of ['4096', 'OLLAMA_CONTEXT_LENGTH=32768 ollama serve', 'ollama create qwen3:8b-32k -f Modelfile'])
    expect(notices[0]).toContain(part);
  const large = await open({ family: 'ollama', window: 65_536 });
  await large.models.resolve('own/m');
  expect(large.notices).toEqual([]);
});

test('a template without tools stops a request with tools before it is sent', async () => {
  const { models, program } = await open({ family: 'llamacpp', tools: false });
  const model = await models.resolve('own/m');
  expect((await ask(model, TOOLS)).at(-1)).toMatchObject({
    type: 'failed',
    failure: { code: 'invalid_request', cause: 'prompt_cut' },
  });
  expect(program.bodies).toEqual([]);
  expect((await ask(model)).at(-1)).toMatchObject({ type: 'finished' });
});

test('with `tools: false`, requests have no tools', async () => {
  const { models, program } = await open({ family: 'llamacpp', tools: false }, { tools: false });
  expect((await ask(await models.resolve('own/m'), TOOLS)).at(-1)).toMatchObject({ type: 'finished' });
  expect(program.bodies[0]).not.toHaveProperty('tools');
});

const TOOLS = [
  {
    name: 'look',
    description: 'Looks at a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    effects: ['read' as const],
  },
];

async function ask(model: Model, tools: typeof TOOLS = []): Promise<ModelEvent[]> {
  const parts = [{ type: 'text' as const, text: 'Say hello.' }];
  const messages = [{ id: 'M1', role: 'user' as const, origin: 'user' as const, parts }];
  const request = { system: 'You are a test.', tools, messages, maxOutputTokens: 100, session: 'S' };
  return Array.fromAsync(model.stream(request, { signal: new AbortController().signal }));
}
