// Covers adapters/models/ai-sdk: models of real packages over HTTP to the scripted server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createModels, createModelServer, parseScript, type ModelServer } from '@klaus/adapters/models';
import type { Model, ModelEvent, ModelFailure, ModelRequest, ToolSpec } from '@klaus/core/agent';
import type { Message, Part } from '@klaus/core/protocol';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { installProviders, PROVIDERS, toSettings, type ProviderFolder, type ProviderKey } from './providers.ts';

let packages: ProviderFolder;
beforeAll(() => {
  packages = installProviders();
}, 120_000);
afterAll(() => packages[Symbol.dispose]());

const KEYS = Object.keys(PROVIDERS) as ProviderKey[];

const tools: ToolSpec[] = [
  {
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    effects: ['read'],
  },
  { name: 'act', description: 'Acts.', inputSchema: { type: 'object', properties: {} }, effects: ['write'] },
];

async function connect(url: string, provider: ProviderKey): Promise<Model> {
  const aiSdk = { folder: packages.folder, settings: toSettings(url) };
  return createModels({ keys: {}, aiSdk }).resolve(PROVIDERS[provider]);
}

async function start(provider: ProviderKey, yaml: string): Promise<{ model: Model; server: ModelServer }> {
  const server = await createModelServer({ script: await parseScript(yaml, 'test.yaml') });
  onTestFinished(() => server.close());
  return { model: await connect(server.url, provider), server };
}

let ids = 0;
function message(role: Message['role'], parts: Part[]): Message {
  return { id: `M${++ids}`, role, origin: role === 'assistant' ? 'model' : 'user', parts };
}
const text = (words: string): Part => ({ type: 'text', text: words });

function request(messages: Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'You are a test.', tools, messages, maxOutputTokens: 1_000, session: 'S1', ...more };
}

async function collect(model: Model, wanted = request([message('user', [text('hi')])])): Promise<ModelEvent[]> {
  return await Array.fromAsync(model.stream(wanted, { signal: new AbortController().signal }));
}

async function answer(model: Model, wanted?: ModelRequest) {
  const last = (await collect(model, wanted)).at(-1)!;
  if (last.type !== 'finished') throw new Error(JSON.stringify(last));
  return last;
}

test.each(KEYS)('%s: text, thinking and calls come as deltas and completely at the end', async (provider) => {
  const { model } = await start(
    provider,
    `
steps:
  - chunk: 7
    reply:
      thinking: "Let me think about that."
      text: "Grüße, I look twice."
      calls: [{ name: look, input: { path: "a/b.js", n: 3 } }, { name: act, input: {} }]
`,
  );
  const events = await collect(model);
  const join = (type: 'text' | 'thinking') =>
    events.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : [])).join('');
  expect(join('text')).toBe('Grüße, I look twice.');
  expect(join('thinking')).toBe('Let me think about that.');
  const calls = events.flatMap((event) => (event.type === 'call' ? [event] : []));
  const input = calls.filter(({ index }) => index === 0).map((call) => call.text);
  expect(JSON.parse(input.join(''))).toEqual({ path: 'a/b.js', n: 3 });
  expect(new Set(calls.map(({ index, name }) => `${index} ${name}`))).toEqual(new Set(['0 look', '1 act']));
  expect(events.filter(({ type }) => type === 'finished' || type === 'failed')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({
    type: 'finished',
    stopReason: 'tool_use',
    parts: [
      { type: 'thinking', text: 'Let me think about that.' },
      { type: 'text', text: 'Grüße, I look twice.' },
      { type: 'call', id: 'call_0_0', name: 'look', input: { path: 'a/b.js', n: 3 } },
      { type: 'call', id: 'call_0_1', name: 'act', input: {} },
    ],
  });
});

test.each([
  ['anthropic', 'end_turn', 'end_turn'],
  ['anthropic', 'max_tokens', 'max_tokens'],
  ['anthropic', 'stop_sequence', 'stop_sequence'],
  ['anthropic', 'pause_turn', 'pause_turn'],
  ['anthropic', 'refusal', 'refusal'],
  ['anthropic', 'model_context_window_exceeded', 'model_context_window_exceeded'],
  ['openai', 'end_turn', 'end_turn'],
  ['openai', 'max_tokens', 'max_tokens'],
  ['local', 'end_turn', 'end_turn'],
  ['local', 'max_tokens', 'max_tokens'],
  ['local', 'refusal', 'refusal'],
] as const)('%s: the model stops by %s', async (provider, stop, expected) => {
  const { model } = await start(provider, `steps: [{ reply: { text: hm, stop: ${stop} } }]`);
  expect((await answer(model)).stopReason).toBe(expected);
});

test.each(KEYS)('%s: usage has its cache classes', async (provider) => {
  const { model } = await start(
    provider,
    'steps: [{ reply: { text: hm, usage: { input: 10, output: 5, cacheRead: 300, cacheWrite: 40 } } }]',
  );
  const { usage } = await answer(model);
  // This package does not read written tokens, so they count as input.
  const input = provider === 'local' ? { input: 50, cacheWrite: 0 } : { input: 10, cacheWrite: 40 };
  expect(usage).toEqual({ ...input, output: 5, cacheRead: 300 });
});

test.each(KEYS)('%s: the messages of each request begin with all of the previous one', async (provider) => {
  const { model, server } = await start(
    provider,
    'steps: []\nfallback: { thinking: hm, text: ok, calls: [{ name: look, input: { path: a } }] }',
  );
  const history = [message('user', [text('first')])];
  for (let turn = 0; turn < 4; turn++) {
    const { parts } = await answer(model, request([...history]));
    const call = parts.find((part) => part.type === 'call')!;
    history.push(message('assistant', parts));
    history.push(message('user', [{ type: 'result', call: call.id, text: `résult ${turn}`, isError: turn === 2 }]));
  }
  const bodies = server.requests.map(({ body }) => body);
  const list = provider === 'openai' ? '"input":[' : '"messages":[';
  for (const [at, body] of bodies.entries()) {
    if (at === 0) continue;
    const previous = bodies[at - 1]!;
    const messages = JSON.parse(previous) as Record<string, unknown[]>;
    const written = JSON.stringify(messages['input'] ?? messages['messages']).slice(1, -1);
    expect(body).toContain(`${list}${written}`);
  }
  expect(bodies).toHaveLength(4);
});

test.each(KEYS)('%s: results, failures and images reach the model', async (provider) => {
  const { model, server } = await start(provider, 'steps: []\nfallback: { text: ok }');
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await answer(
    model,
    request([
      message('user', [text('Look.'), { type: 'image', mediaType: 'image/png', data }]),
      message('assistant', [
        { type: 'call', id: 'call-1', name: 'look', input: { path: 'a' } },
        { type: 'call', id: 'toolu.2', name: 'look', input: '{"broken' },
      ]),
      message('user', [
        { type: 'result', call: 'call-1', text: 'the result', isError: false },
        { type: 'result', call: 'toolu.2', text: 'the failure', isError: true },
        { type: 'file', name: 'notes.txt', mediaType: 'text/plain', text: 'the notes' },
      ]),
    ]),
  );
  const { body } = server.requests[0]!;
  for (const part of [data, 'the result', 'the failure', 'the notes', 'invalid_input', 'toolu_2']) {
    expect(body).toContain(part);
  }
  const { tools: sent } = JSON.parse(body) as { tools: object[] };
  expect(sent).toHaveLength(2);
});

test.each([
  ['anthropic', 'signature'],
  ['openai', 'encrypted_content'],
] as const)('%s: reasoning goes back with its %s', async (provider, field) => {
  const { model, server } = await start(
    provider,
    'steps:\n  - reply: { thinking: hm, encrypted: sealed-0815, text: ok, calls: [{ name: look }] }\n  - reply: { text: ok }\n',
  );
  const first = message('user', [text('hi')]);
  const { parts } = await answer(model, request([first], { effort: 'high' }));
  const thinking = parts.filter((part) => part.type === 'thinking');
  const states = thinking.map(({ providerState }) => providerState?.data ?? {});
  expect(states.some((state) => field in state)).toBe(true);
  const result = message('user', [{ type: 'result', call: 'call_0_0', text: 'seen', isError: false }]);
  await answer(model, request([first, message('assistant', parts), result], { effort: 'high' }));
  expect(server.requests[1]!.body).toContain('sealed-0815');
  for (const { signature } of states) if (signature) expect(server.requests[1]!.body).toContain(signature);
});

test('a session can change between a native client and a provider of the AI SDK', async () => {
  const script = await parseScript(
    'steps: []\nfallback: { thinking: hm, encrypted: sealed-0815, text: ok, calls: [{ name: look }] }',
    'test.yaml',
  );
  const server = await createModelServer({ script });
  onTestFinished(() => server.close());
  const native = await createModels({ keys: {}, scripted: async () => ({ url: server.url }) }).resolve('scripted/x');
  const bridged = await connect(server.url, 'anthropic');
  const first = message('user', [text('hi')]);
  const fromNative = await answer(native, request([first]));
  const fromBridge = await answer(bridged, request([first], { effort: 'high' }));
  expect(fromBridge.parts).toEqual(fromNative.parts);
  const result = message('user', [{ type: 'result', call: 'call_0_0', text: 'seen', isError: false }]);
  await answer(bridged, request([first, message('assistant', fromNative.parts), result], { effort: 'high' }));
  await answer(native, request([first, message('assistant', fromBridge.parts), result]));
  for (const { body } of server.requests.slice(2)) {
    expect(body).toContain('sealed-0815');
    expect(body).toContain('"signature"');
  }
});

const faults: [fault: string, expected: Partial<ModelFailure>][] = [
  ['{ kind: status, status: 429, retryAfter: 3 }', { code: 'rate_limited', status: 429, retryAfterMs: 3_000 }],
  ['{ kind: status, status: 529 }', { code: 'overloaded', status: 529 }],
  ['{ kind: status, status: 500 }', { code: 'server_error', status: 500 }],
  ['{ kind: status, status: 401 }', { code: 'auth', status: 401 }],
  ['{ kind: status, status: 400 }', { code: 'invalid_request', status: 400 }],
  [
    '{ kind: status, status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" }',
    { code: 'context_window', status: 400 },
  ],
  ['{ kind: status, status: 413 }', { code: 'context_window', status: 413 }],
  ['{ kind: reset }', { code: 'connection' }],
  ['{ kind: reset, after: 4 }', { code: 'connection' }],
  ['{ kind: truncate, after: 4 }', { code: 'connection' }],
  ['{ kind: malformed, after: 4 }', { code: 'malformed' }],
  ['{ kind: error, after: 4 }', { code: 'overloaded' }],
  ['{ kind: error, after: 4, status: 500, message: broken }', { code: 'server_error' }],
];

for (const provider of KEYS) {
  test.each(faults)(`${provider}: %s`, async (fault, expected) => {
    const { model, server } = await start(
      provider,
      `steps: [{ chunk: 2, reply: { text: "full answer" }, faults: [${fault}] }]`,
    );
    const events = await collect(model);
    expect(events.filter(({ type }) => type === 'failed' || type === 'finished')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: expected });
    // Klaus repeats a request in one place, which is not here.
    expect(server.requests).toHaveLength(1);
    expect((await answer(model)).parts).toEqual([{ type: 'text', text: 'full answer' }]);
  });
}

test.each(KEYS)('%s: a hang ends when the caller gives up, after keep-alives were reported', async (provider) => {
  const { model } = await start(
    provider,
    'steps: [{ reply: { text: hi }, faults: [{ kind: hang, after: 1, keepAlive: true }] }]',
  );
  const controller = new AbortController();
  let bytes = 0;
  let sent = 0;
  const onBytes = () => ++bytes > 8 && controller.abort();
  const options = { signal: controller.signal, onBytes, onSent: () => sent++ };
  const events = await Array.fromAsync(model.stream(request([message('user', [text('hi')])]), options));
  expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { code: 'abandoned' } });
  expect(sent).toBe(1);
});

test.each(KEYS)('%s: a signal that is already aborted sends nothing', async (provider) => {
  const { model, server } = await start(provider, 'steps: [{ reply: { text: hi } }]');
  const options = { signal: AbortSignal.abort() };
  const events = await Array.fromAsync(model.stream(request([message('user', [text('hi')])]), options));
  expect(events).toMatchObject([{ type: 'failed', failure: { code: 'abandoned' } }]);
  expect(server.requests).toHaveLength(0);
});

test.each(KEYS)('%s: a caller that leaves in the middle ends the request', async (provider) => {
  const chunk = {
    anthropic:
      'event: message_start\ndata: {"type":"message_start","message":{"id":"1","model":"m","role":"assistant","usage":{"input_tokens":1,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\nevent: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}\n\n',
    local: 'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n',
    openai:
      'data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m1"}}\n\ndata: {"type":"response.output_text.delta","item_id":"m1","output_index":0,"delta":"hi"}\n\n',
  }[provider];
  const gone = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk);
    response.on('close', gone.resolve);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const model = await connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, provider);
  for await (const event of model.stream(request([message('user', [text('hi')])]), {
    signal: new AbortController().signal,
  })) {
    expect(event).toEqual({ type: 'text', text: 'hi' });
    break;
  }
  await gone.promise;
});

test.each(KEYS)('%s: no server listens', async (provider) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const events = await collect(await connect(`http://127.0.0.1:${port}`, provider));
  expect(events).toMatchObject([{ type: 'failed', failure: { code: 'connection' } }]);
  expect(JSON.stringify(events)).toContain('ECONNREFUSED');
});

test('a missing key is reported with its variable', async () => {
  const models = createModels({ keys: {}, aiSdk: { folder: packages.folder } });
  const model = await models.resolve('ai/mistral/mistral-large-latest');
  expect(await collect(model)).toMatchObject([
    { type: 'failed', failure: { code: 'auth', message: expect.stringContaining('MISTRAL_API_KEY') as string } },
  ]);
});

test('a known model has its sizes and its price, any other one has neither a price nor a limit in the catalog', async () => {
  const models = createModels({
    keys: {},
    aiSdk: { folder: packages.folder },
    prices: { 'ai/mistral/priced': { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 } },
  });
  const prices = async (name: string) => (await models.resolve(name)).info.prices;
  const native = await createModels({ keys: { anthropic: 'x' } }).resolve('anthropic/claude-sonnet-5-5');
  const { info } = await models.resolve(PROVIDERS.anthropic);
  expect(info).toEqual(native.info);
  expect(await prices('ai/mistral/mistral-large-latest')).toEqual([]);
  expect(await prices('ai/mistral/priced')).toMatchObject([{ price: { output: 2 } }]);
});

async function search(model: Model): Promise<ModelEvent> {
  const wanted = request([message('user', [text('Who won?')])]);
  const { webSearch } = model;
  return (await Array.fromAsync(webSearch!.stream(wanted, { signal: new AbortController().signal }))).at(-1)!;
}

test.each(['anthropic', 'openai'] as const)('%s: the search of the provider gives its results', async (provider) => {
  const results = [{ title: 'Guide', url: 'https://docs.example/guide', snippet: 'How to run it.' }];
  const { model, server } = await start(
    provider,
    JSON.stringify({ steps: [{ when: { search: true }, reply: { search: results } }] }),
  );
  expect(model.webSearch!.url).toBe(`${server.url}/v1`);
  expect(await search(model)).toMatchObject({ type: 'finished', sources: results });
});

// https://ai.google.dev/gemini-api/docs/google-search
const GEMINI = {
  candidates: [
    {
      content: {
        parts: [
          {
            text: "Spain won Euro 2024, defeating England 2-1 in the final. This victory marks Spain's record fourth title.",
          },
        ],
        role: 'model',
      },
      finishReason: 'STOP',
      groundingMetadata: {
        webSearchQueries: ['UEFA Euro 2024 winner', 'who won euro 2024'],
        searchEntryPoint: { renderedContent: '<!-- HTML and CSS for the search widget -->' },
        groundingChunks: [
          { web: { uri: 'https://vertexaisearch.cloud.google.com/a', title: 'aljazeera.com' } },
          { web: { uri: 'https://vertexaisearch.cloud.google.com/b', title: 'uefa.com' } },
        ],
        groundingSupports: [
          {
            segment: { startIndex: 0, endIndex: 85, text: 'Spain won Euro 2024, defeating England 2-1 in the final.' },
            groundingChunkIndices: [0],
          },
        ],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
};

test('google: the search is a tool of the request, and its results are read', async () => {
  const bodies: string[] = [];
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    incoming.on('end', () => {
      bodies.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(GEMINI)}\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`;
  const name = 'ai/google/gemini-2.5-flash';
  const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  const aiSdk = { folder: packages.folder, settings: { google: { options: { baseURL, apiKey: 'k' } } } };
  const model = await createModels({ keys: {}, aiSdk, prices: { [name]: price } }).resolve(name);
  expect(model.webSearch!.url).toBe(baseURL);
  expect(await search(model)).toMatchObject({
    usd: 0.035 + 0.00003,
    sources: [
      {
        url: 'https://vertexaisearch.cloud.google.com/a',
        title: 'aljazeera.com',
        snippet: 'Spain won Euro 2024, defeating England 2-1 in the final.',
      },
      { url: 'https://vertexaisearch.cloud.google.com/b', title: 'uefa.com', snippet: '' },
    ],
  });
  expect(JSON.parse(bodies[0]!)).toMatchObject({ tools: [{ googleSearch: {} }] });
  expect(bodies[0]).not.toContain('Looks.');
});

test('local: a provider without a known search has none', async () => {
  const { model } = await start('local', 'steps: []');
  expect(model.webSearch).toBeUndefined();
});
