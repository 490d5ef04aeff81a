import { createServer, type IncomingHttpHeaders } from 'node:http';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Model, ModelEvent, ModelRequest } from '@klaus/core/agent';
import type { Message, ModelServerSettings, Part } from '@klaus/core/protocol';
import { createModels, type ModelsOptions } from './index.ts';

type Body = Record<string, unknown>;
interface Seen {
  body: Body;
  url: string;
  headers: IncomingHttpHeaders;
}
/** Undefined: the request is accepted. */
type Refuse = (body: Body, seen: Seen) => { status: number; error: unknown } | undefined;

const ANSWERS: Record<string, object[]> = {
  chat: [{ choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }] }],
  responses: [
    { type: 'response.output_item.done', item: { type: 'message', content: [{ type: 'output_text', text: 'ok' }] } },
    { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } },
  ],
  messages: [
    { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ],
};

/** A server that refuses requests in the words of a real one. */
async function serve(wire: string, refuse: Refuse): Promise<{ url: string; seen: Seen[]; raw: string[] }> {
  const seen: Seen[] = [];
  const raw: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const one = { body: JSON.parse(text) as Body, url: request.url ?? '', headers: request.headers };
      seen.push(one);
      raw.push(text);
      const refused = refuse(one.body, one);
      if (refused) {
        response.writeHead(refused.status, { 'content-type': 'application/json' });
        return response.end(JSON.stringify(refused.error));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of ANSWERS[wire]!) response.write(`data: ${JSON.stringify(event)}\n\n`);
      return response.end(wire === 'chat' ? 'data: [DONE]\n\n' : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, raw };
}

function open(settings: Partial<ModelServerSettings> & { baseUrl: string }, options: Partial<ModelsOptions> = {}) {
  const notices: string[] = [];
  const models = createModels({
    keys: {},
    servers: { mine: { wire: 'chat', ...settings } },
    onNotice: (text) => notices.push(text),
    ...options,
  });
  return { models, notices };
}

let ids = 0;
const says = (role: Message['role'], parts: Part[]): Message => ({
  ...{ id: `M${++ids}`, role, parts },
  origin: role === 'assistant' ? 'model' : 'user',
});
const text = (words: string): Part => ({ type: 'text', text: words });
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You are a test.',
  tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, effects: ['read'] }],
  messages: [says('user', [text('hi')])],
  maxOutputTokens: 5,
  session: 'S',
  ...more,
});

async function ask(model: Model, asked = request(), onBytes?: () => unknown): Promise<ModelEvent> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, {
    signal: new AbortController().signal,
    onBytes: () => void onBytes?.(),
  }))
    events.push(event);
  return events.at(-1)!;
}
const done = expect.objectContaining({ type: 'finished', parts: [{ type: 'text', text: 'ok' }] }) as ModelEvent;

const openai = (message: string, param: string | null, code: string | null = 'unsupported_parameter') => ({
  status: 400,
  error: { error: { message, type: 'invalid_request_error', param, code } },
});
const refuseMax: Refuse = (body) =>
  'max_tokens' in body
    ? openai(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        'max_tokens',
      )
    : undefined;

test('a refused limit is sent under its other name, is remembered, and is reported once', async () => {
  const { url, seen } = await serve('chat', refuseMax);
  const { models, notices } = open({ baseUrl: `${url}/v1` });
  const model = await models.resolve('mine/m');
  let begun: number | undefined;
  expect(await ask(model, request(), () => (begun ??= seen.length))).toEqual(done);
  expect(await ask(model)).toEqual(done);
  expect(seen.map(({ body }) => [body['max_tokens'], body['max_completion_tokens']])).toEqual([
    [5, undefined],
    [undefined, 5],
    [undefined, 5],
  ]);
  expect(notices).toEqual([expect.stringContaining('max_completion_tokens')]);
  // The refusal is no part of an answer, so an attempt that fails after it costs nothing.
  expect(begun).toBe(2);
});

test('what a server refused is remembered in the cache, for this server and this model', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-dialects-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { url, seen } = await serve('chat', refuseMax);
  const settings = { baseUrl: `${url}/v1?key=k7Qz2Fm2Xp9` };
  await ask(await open(settings, { cache: folder }).models.resolve('mine/m'));
  const { models, notices } = open(settings, { cache: folder });
  expect(await ask(await models.resolve('mine/m'))).toEqual(done);
  expect(seen).toHaveLength(3);
  expect(notices).toEqual([]);
  expect(await ask(await models.resolve('mine/other'))).toEqual(done);
  expect(seen).toHaveLength(5);
  const files = readdirSync(folder).map((name) => join(folder, name));
  for (const file of files) expect(readFileSync(file, 'utf8')).not.toContain('k7Qz');
  for (const file of files) writeFileSync(file, '{"damaged":');
  expect(await ask(await open(settings, { cache: folder }).models.resolve('mine/m'))).toEqual(done);
});

test('several parameters, each named in its own answer', async () => {
  const { url, seen } = await serve('chat', (body) => {
    if ('stream_options' in body)
      return {
        status: 422,
        error: {
          detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }],
        },
      };
    if ('temperature' in body) return openai('invalid temperature: only 1 is allowed for this model', null, null);
    return refuseMax(body, undefined as never);
  });
  const model = await open({ baseUrl: url }).models.resolve('mine/m');
  expect(await ask(model, request({ temperature: 0.3 }))).toEqual(done);
  expect(seen).toHaveLength(4);
  expect(Object.keys(seen.at(-1)!.body).toSorted()).toEqual([
    'max_completion_tokens',
    'messages',
    'model',
    'stream',
    'tools',
  ]);
});

test('a server that refuses everything is asked a few times, and its last answer is the failure', async () => {
  let n = 0;
  const fields = ['stream_options', 'temperature', 'reasoning_effort', 'prompt_cache_key', 'a1', 'a2', 'a3', 'a4'];
  const { url, seen } = await serve('chat', () =>
    openai(`Unknown parameter: '${fields[n]}'.`, fields[n++]!, 'unknown_parameter'),
  );
  const { models, notices } = open({
    ...{ baseUrl: url, efforts: ['high'], dialect: { cacheKey: true } },
    body: { a1: 1, a2: 1, a3: 1, a4: 1 },
  });
  const failed = await ask(await models.resolve('mine/m'), request({ temperature: 0.3, effort: 'high' }));
  expect(failed).toMatchObject({ type: 'failed', failure: { code: 'invalid_request', status: 400 } });
  expect(seen).toHaveLength(5);
  expect(notices).toEqual([]);
});

test('a refusal of something that cannot be left out is the failure at once', async () => {
  const { url, seen } = await serve('chat', () => ({ status: 400, error: { error: 'm does not support tools' } }));
  const failed = await ask(await open({ baseUrl: url }).models.resolve('mine/m'));
  expect(failed).toMatchObject({ type: 'failed', failure: { status: 400 } });
  expect(seen).toHaveLength(1);
});

test('Responses: a refused field is left out', async () => {
  const { url, seen } = await serve('responses', (body) =>
    'include' in body
      ? openai('Encrypted content is not supported with this model.', 'include', null)
      : 'reasoning' in body
        ? openai("Unsupported parameter: 'reasoning.effort' is not supported with this model.", 'reasoning.effort')
        : undefined,
  );
  const model = await open({ baseUrl: `${url}/v1`, wire: 'responses', efforts: ['high'] }).models.resolve('mine/m');
  expect(await ask(model, request({ effort: 'high' }))).toEqual(done);
  expect(seen.map((each) => each.url)).toEqual(['/v1/responses', '/v1/responses', '/v1/responses']);
  expect(seen.at(-1)!.body).toMatchObject({ store: false, max_output_tokens: 5 });
  expect(seen.at(-1)!.body).not.toHaveProperty('include');
  expect(seen.at(-1)!.body).not.toHaveProperty('reasoning');
});

test('Messages: a gateway without marks of the cache, thinking and effort', async () => {
  const error = (message: string) => ({
    status: 400,
    error: { type: 'error', error: { type: 'invalid_request_error', message } },
  });
  const { url, seen } = await serve('messages', (body) => {
    if ('cache_control' in body) return error('cache_control: Extra inputs are not permitted');
    if ('thinking' in body) return error('adaptive thinking is not supported on this model');
    if ('output_config' in body) return error('output_config: Extra inputs are not permitted');
    return undefined;
  });
  const { models, notices } = open({
    ...{ baseUrl: `${url}/v1`, wire: 'messages', efforts: ['high'], key: 'the-key' },
    dialect: { adaptiveThinking: true },
  });
  expect(await ask(await models.resolve('mine/m'), request({ effort: 'high' }))).toEqual(done);
  expect(seen.map((each) => each.url)).toEqual(Array(4).fill('/v1/messages'));
  expect(seen[0]!.headers).toMatchObject({ 'x-api-key': 'the-key' });
  // The mark of the instructions was not refused.
  expect(seen.at(-1)!.body['system']).toEqual([
    { type: 'text', text: 'You are a test.', cache_control: { type: 'ephemeral' } },
  ]);
  expect(notices).toHaveLength(1);
});

test.each([
  [{ role: 'developer' }, 'developer'],
  [{ role: 'user' }, 'user'],
] as const)('instructions in another role: %o', async ({ role }, expected) => {
  const { url, seen } = await serve('chat', (body) => {
    const [first] = body['messages'] as { role: string }[];
    if (first!.role === role) return undefined;
    return openai(
      `Unsupported value: 'messages[0].role' does not support '${first!.role}' with this model.`,
      'messages[0].role',
      'unsupported_value',
    );
  });
  expect(await ask(await open({ baseUrl: url }).models.resolve('mine/m'))).toEqual(done);
  expect(seen.at(-1)!.body['messages']).toMatchObject([{ role: expected, content: 'You are a test.' }, {}]);
});

test('after an adaptation, each body still begins with the one before it', async () => {
  const { url, raw } = await serve('messages', (body) =>
    'cache_control' in body
      ? { status: 400, error: { type: 'error', error: { message: 'cache_control: Extra inputs are not permitted' } } }
      : undefined,
  );
  const model = await open({ baseUrl: url, wire: 'messages' }).models.resolve('mine/m');
  const first = request();
  await ask(model, first);
  await ask(model, {
    ...first,
    messages: [...first.messages, says('assistant', [text('ok')]), says('user', [text('go')])],
  });
  const head = raw[1]!.slice(0, raw[1]!.indexOf('hi"}'));
  expect(head).toContain('"tools"');
  expect(raw[2]!.startsWith(head)).toBe(true);
});

test('the models of a provider adapt too', async () => {
  const { url, seen } = await serve('chat', (body) =>
    'stream_options' in body ? openai("property 'stream_options' is unsupported", null, null) : undefined,
  );
  const models = createModels({ keys: {}, baseUrls: { openai: `${url}/v1` } });
  expect(await ask(await models.resolve('openai/m'))).toEqual(done);
  expect(seen).toHaveLength(2);
});
