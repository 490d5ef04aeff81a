import { Anthropic } from '@anthropic-ai/sdk';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenAI } from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { createModelServer, type ModelServer, type ModelServerOptions } from './model-server.ts';
import { loadScript, parseScript } from './script.ts';

async function play(yaml: string, options: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
  const server = await createModelServer({ script: await parseScript(yaml, 'test.yaml'), ...options });
  onTestFinished(() => server.close());
  return server;
}

const anthropic = (server: ModelServer) => new Anthropic({ apiKey: 'sk-secret', baseURL: server.url, maxRetries: 0 });
const openai = (server: ModelServer) => new OpenAI({ apiKey: 'sk-secret', baseURL: `${server.url}/v1`, maxRetries: 0 });

async function post(server: ModelServer, messages: unknown[], more: object = {}) {
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', max_tokens: 100, messages, ...more }),
  });
  return {
    status: response.status,
    body: (await response.json()) as { content: { text: string }[]; error: { message: string } },
  };
}

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });

const SIMPLE = `
steps:
  - reply: { text: "first to {{user}}", calls: [{ name: look, input: { at: "{{user}}" } }] }
  - reply: { text: "second" }
`;

test('the SDKs read documents as well as streams from it', async () => {
  const server = await play(SIMPLE);
  const message = await anthropic(server).messages.create({
    model: 'demo',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'you' }],
  });
  expect(message.stop_reason).toBe('tool_use');
  expect(message.content).toEqual([
    { type: 'text', text: 'first to you' },
    { type: 'tool_use', id: 'call_0_0', name: 'look', input: { at: 'you' } },
  ]);
  const completion = await openai(server).chat.completions.create({
    model: 'demo',
    messages: [
      { role: 'user', content: 'you' },
      { role: 'assistant', content: 'x' },
      { role: 'user', content: 'continue' },
    ],
  });
  expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'second' } });
  const streamed = await openai(server).chat.completions.create({
    model: 'demo',
    stream: true,
    messages: [{ role: 'user', content: 'you' }],
  });
  let text = '';
  for await (const chunk of streamed) text += chunk.choices[0]?.delta.content ?? '';
  expect(text).toBe('first to you');
});

test('the same request gets the same answer, in any order of requests', async () => {
  const server = await play(SIMPLE);
  const before = await post(server, [user('a')]);
  const second = await post(server, [user('a'), assistant('x'), user('b')]);
  expect(second.body.content[0]!.text).toBe('second');
  expect(await post(server, [user('a')])).toEqual(before);
  // A new server, as after a crash of both, answers in the middle of the conversation too.
  const restarted = await play(SIMPLE);
  expect(await post(restarted, [user('a'), assistant('x'), user('b')])).toEqual(second);
});

test('conditions win over positions, in order, and all of a step must hold', async () => {
  const server = await play(`
steps:
  - reply: { text: by position }
  - when: { after: read_file, result: "b.g" }
    reply: { text: found }
  - when: { tools: false, system: summar }
    reply: { text: summary }
  - when: { model: "^cheap", turn: 0 }
    reply: { text: cheap }
`);
  const called = assistant([{ type: 'tool_use', id: 'c', name: 'read_file', input: {} }]);
  const result = (text: string) => user([{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text }] }]);
  const textOf = async (messages: unknown[], more?: object) => {
    const { status, body } = await post(server, messages, more);
    return status === 200 ? body.content[0]!.text : body.error.message;
  };
  expect(await textOf([user('a')], { tools: [{ name: 'x' }] })).toBe('by position');
  expect(await textOf([user('a'), called, result('a bug')])).toBe('found');
  expect(await textOf([user('a')], { system: 'summarise this' })).toBe('summary');
  expect(await textOf([user('a')], { model: 'cheap-1' })).toBe('cheap');
  expect(await textOf([user('a'), called, result('nothing')])).toContain('/b.g/');
});

test('a request that no step fits is refused with what was looked for', async () => {
  const server = await play('name: demo\nsteps:\n  - when: { user: hello }\n    reply: { text: hi }\n');
  const { status, body } = await post(server, [user('bye')]);
  expect(status).toBe(400);
  expect(body.error.message).toMatch(/\bdemo\b.*\bturn 0\b.*\bmodel demo\b.*\buser "bye"/);
  expect(body.error.message).toMatch(/\bstep 1\b.*\buser\b.*\/hello\//);
  const lenient = await play('steps: []\nfallback: { text: anything }\n');
  expect((await post(lenient, [user('bye')])).body.content[0]!.text).toBe('anything');
});

test('system messages in the middle are read past, and a query changes nothing', async () => {
  const server = await play(SIMPLE);
  const response = await fetch(`${server.url}/v1/messages?beta=true`, {
    method: 'POST',
    body: JSON.stringify({ model: 'demo', messages: [user('you'), { role: 'system', content: 'a reminder' }] }),
  });
  expect(((await response.json()) as { content: unknown[] }).content[0]).toEqual({
    type: 'text',
    text: 'first to you',
  });
  expect((await fetch(server.url, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
  expect((await fetch(`${server.url}/v1/embeddings`, { method: 'POST', body: '{}' })).status).toBe(404);
});

test('every request is recorded without its keys, in memory, over HTTP and in a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'klaus-models-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'record.ndjson');
  const server = await play(SIMPLE, { record: file });
  await anthropic(server).messages.create({
    model: 'demo',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'you' }],
  });
  await openai(server).chat.completions.create({ model: 'demo', messages: [{ role: 'user', content: 'you' }] });
  const overHttp = (await (await fetch(`${server.url}/__requests`)).json()) as unknown[];
  const inFile = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  for (const requests of [server.requests, overHttp, inFile]) {
    expect(requests).toHaveLength(2);
    expect(requests[0]).toMatchObject({ index: 0, method: 'POST', path: '/v1/messages', step: 1, attempt: 0 });
    expect(requests[1]).toMatchObject({ index: 1, path: '/v1/chat/completions' });
  }
  expect(server.requests[0]!.json).toMatchObject({ messages: [{ role: 'user', content: 'you' }] });
  expect(JSON.stringify([server.requests, overHttp, inFile])).not.toContain('sk-secret');
});

test('a prompt that was sent before counts as read from the cache, also when its request comes twice', async () => {
  const server = await play('steps: []\nfallback: { text: ok }\n');
  const usageOf = async (messages: unknown[]) => {
    const { body } = await post(server, messages, { cache_control: { type: 'ephemeral' } });
    return (body as unknown as { usage: Record<string, number> }).usage;
  };
  const first = [user('x'.repeat(4_000))];
  const second = [...first, assistant('ok'), user('y'.repeat(400))];
  const cold = await usageOf(first);
  expect(cold).toMatchObject({ cache_read_input_tokens: 0, input_tokens: 0 });
  const warm = await usageOf(second);
  expect(warm['cache_read_input_tokens']).toBe(cold['cache_creation_input_tokens']);
  expect(warm['cache_creation_input_tokens']).toBeLessThan(200);
  expect(await usageOf(second)).toEqual(warm);
  // After a byte that changed in the prefix the cache is cold: only the part before it is read.
  const changed = [user('z'.repeat(4_000)), ...second.slice(1)];
  expect((await usageOf(changed))['cache_read_input_tokens']).toBeLessThan(10);
});

test('only loopback is listened on', async () => {
  const script = await parseScript('steps: []', 'x');
  await expect(createModelServer({ script, host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('0.0.0.0'),
  });
});

test('a port that is taken is reported', async () => {
  const server = await play('steps: []');
  await expect(play('steps: []', { port: server.port })).rejects.toThrow('EADDRINUSE');
});

test('a script without a name is called like its file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'klaus-models-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'fix-bug.yaml');
  await writeFile(file, 'steps: []');
  expect((await loadScript(file)).name).toBe('fix-bug');
  await expect(loadScript(join(folder, 'absent.yaml'))).rejects.toThrow(join(folder, 'absent.yaml'));
});
