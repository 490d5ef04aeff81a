import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Model, ModelEvent, ModelRequest, ToolSpec } from '@klaus/core/agent';
import type { Message, Part, Sampling } from '@klaus/core/protocol';
import { createModels, createModelServer, parseScript, type ModelServer } from './index.ts';

// All wires against the scripted server, over real HTTP.

const tools: ToolSpec[] = [
  { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} }, effects: ['read'] },
  { name: 'act', description: 'Acts.', inputSchema: { type: 'object', properties: {} }, effects: ['write'] },
];

const WIRES = ['anthropic', 'openai', 'responses'] as const;
type Wire = (typeof WIRES)[number];

async function start(wire: Wire, yaml: string): Promise<{ model: Model; server: ModelServer }> {
  const server = await createModelServer({ script: await parseScript(yaml, 'test.yaml') });
  onTestFinished(() => server.close());
  const models = createModels({ keys: {}, scripted: async () => ({ url: server.url, wire }) });
  return { model: await models.resolve('scripted/test'), server };
}

let ids = 0;
function message(role: Message['role'], parts: Part[]): Message {
  return { id: `M${++ids}`, role, origin: role === 'assistant' ? 'model' : 'user', parts };
}
const text = (words: string): Part => ({ type: 'text', text: words });

function request(messages: Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'You are a test.', tools, messages, maxOutputTokens: 1_000, session: 'S1', ...more };
}

async function collect(model: Model, modelRequest: ModelRequest, onBytes?: () => void): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const signal = new AbortController().signal;
  for await (const event of model.stream(modelRequest, { signal, ...(onBytes && { onBytes }) })) events.push(event);
  return events;
}

async function answer(model: Model, modelRequest: ModelRequest) {
  const last = (await collect(model, modelRequest)).at(-1)!;
  if (last.type !== 'finished') throw new Error(JSON.stringify(last));
  return last;
}

test.each(WIRES)('%s: text, thinking and calls come as deltas and completely at the end', async (wire) => {
  const { model } = await start(
    wire,
    `
steps:
  - chunk: 7
    reply:
      thinking: "Let me think about that."
      text: "Grüße, I look twice."
      calls: [{ name: look, input: { path: "a/b.js", n: 3 } }, { name: act, input: {} }]
`,
  );
  const events = await collect(model, request([message('user', [text('hi')])]));
  const joined = (type: 'text' | 'thinking') =>
    events.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : []));
  expect(joined('text').join('')).toBe('Grüße, I look twice.');
  expect(joined('thinking').join('')).toBe('Let me think about that.');
  const calls = events.flatMap((event) => (event.type === 'call' ? [event] : []));
  expect(
    JSON.parse(
      calls
        .filter((call) => call.index === 0)
        .map((call) => call.text)
        .join(''),
    ),
  ).toEqual({ path: 'a/b.js', n: 3 });
  expect(new Set(calls.map((call) => `${call.index} ${call.name}`))).toEqual(new Set(['0 look', '1 act']));
  expect(events.filter((event) => event.type === 'finished' || event.type === 'failed')).toHaveLength(1);
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
  ['openai', 'refusal', 'refusal'],
  ['responses', 'end_turn', 'end_turn'],
  ['responses', 'max_tokens', 'max_tokens'],
  ['responses', 'refusal', 'refusal'],
] as const)('%s: the model stops by %s', async (wire, stop, expected) => {
  const { model } = await start(wire, `steps: [{ reply: { text: hm, stop: ${stop} } }]`);
  expect((await answer(model, request([message('user', [text('hi')])]))).stopReason).toBe(expected);
});

test.each(WIRES)('%s: usage has its cache classes', async (wire) => {
  const { model } = await start(
    wire,
    'steps: [{ reply: { text: hm, usage: { input: 10, output: 5, cacheRead: 300, cacheWrite: 40, usd: 0.125 } } }]',
  );
  const finished = await answer(model, request([message('user', [text('hi')])]));
  expect(finished.usage).toEqual({ input: 10, output: 5, cacheRead: 300, cacheWrite: 40 });
  // Only OpenRouter, whose dialect the scripted wire speaks, names the exact price.
  expect(finished.usd).toBe(wire === 'openai' ? 0.125 : undefined);
});

test.each(WIRES)('%s: each body begins with the complete previous one up to its last message', async (wire) => {
  const { model, server } = await start(
    wire,
    'steps: []\nfallback: { thinking: hm, text: ok, calls: [{ name: look }] }',
  );
  const history = [message('user', [text('first')])];
  for (let turn = 0; turn < 4; turn++) {
    const { parts } = await answer(model, request([...history], { maxOutputTokens: 1_000 + turn }));
    const call = parts.find((part) => part.type === 'call')!;
    history.push(message('assistant', parts));
    history.push(message('user', [{ type: 'result', call: call.id, text: `résult ${turn}`, isError: turn === 2 }]));
  }
  const bodies = server.requests.map((recorded) => recorded.body);
  for (const [at, body] of bodies.entries()) {
    if (at === 0) continue;
    const previous = bodies[at - 1]!;
    const tail = Math.max(previous.lastIndexOf('"max_tokens"'), previous.lastIndexOf('"max_output_tokens"'));
    const prefix = previous.slice(0, previous.lastIndexOf(']', tail));
    expect(prefix.length).toBeGreaterThan(200);
    expect(body.startsWith(prefix)).toBe(true);
  }
  // So the provider's cache reads all of the previous prompt.
  const usage = await answer(model, request([...history]));
  expect(usage.usage.cacheRead).toBeGreaterThan(usage.usage.input + usage.usage.cacheWrite);
});

test.each(WIRES)('%s: ids that are missing or repeated in one answer are made unique', async (wire) => {
  const { model } = await start(
    wire,
    'steps: []\nfallback: { calls: [{ name: look, id: same }, { name: look, id: same }, { name: look, id: "" }] }',
  );
  const history = [message('user', [text('hi')])];
  const { parts } = await answer(model, request(history));
  const ids = parts.flatMap((part) => (part.type === 'call' ? [part.id] : []));
  expect(new Set(ids).size).toBe(3);
  expect(ids.every((id) => id.length > 0)).toBe(true);
  // Asked again with the same history, the answer is the same to the id.
  const again = await answer(model, request(history));
  expect(again.parts).toEqual(parts);
});

test.each(WIRES)('%s: broken arguments are given as text, and going back they are an object', async (wire) => {
  const { model, server } = await start(
    wire,
    'steps:\n  - reply: { calls: [{ name: act, raw: "{\\"a\\": " }] }\n  - reply: { text: ok }\n',
  );
  const first = message('user', [text('hi')]);
  const { parts } = await answer(model, request([first]));
  expect(parts).toMatchObject([{ type: 'call', name: 'act', input: '{"a": ' }]);
  const result = message('user', [{ type: 'result', call: 'call_0_0', text: 'not JSON', isError: true }]);
  await answer(model, request([first, message('assistant', parts), result]));
  expect(server.requests[1]!.body).toContain('invalid_input');
});

test.each(WIRES)('%s: bytes are felt with every chunk, also with keep-alives that yield no event', async (wire) => {
  const { model } = await start(
    wire,
    'steps: [{ chunk: 1, reply: { text: "abcdef" }, faults: [{ kind: slow, pace: 2, keepAlive: true }] }]',
  );
  let bytes = 0;
  const events = await collect(model, request([message('user', [text('hi')])]), () => bytes++);
  expect(bytes).toBeGreaterThanOrEqual(events.length);
  expect(events.at(-1)!.type).toBe('finished');
});

test.each(WIRES)(
  '%s: a hang ends when the caller gives up, as abandoned, after the keep-alives were felt',
  async (wire) => {
    const { model } = await start(
      wire,
      'steps: [{ reply: { text: hi }, faults: [{ kind: hang, after: 1, keepAlive: true }] }]',
    );
    const controller = new AbortController();
    let bytes = 0;
    const onBytes = () => ++bytes > 8 && controller.abort();
    const events: ModelEvent[] = [];
    for await (const event of model.stream(request([message('user', [text('hi')])]), {
      signal: controller.signal,
      onBytes,
    })) {
      events.push(event);
    }
    expect(events.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'failed', failure: { code: 'abandoned', message: expect.any(String) as string } },
    ]);
  },
);

test.each(WIRES)('%s: a signal that is already aborted sends nothing', async (wire) => {
  const { model, server } = await start(wire, 'steps: [{ reply: { text: hi } }]');
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request([message('user', [text('hi')])]), { signal: AbortSignal.abort() })) {
    events.push(event);
  }
  expect(events).toMatchObject([{ type: 'failed', failure: { code: 'abandoned' } }]);
  expect(server.requests).toHaveLength(0);
});

test.each(WIRES)('%s: a caller that leaves in the middle ends the request', async (wire) => {
  const words = {
    anthropic:
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}\n\n',
    openai: 'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n',
    responses:
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","output_index":0,"delta":"hi"}\n\n',
  }[wire];
  const gone = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(words);
    response.on('close', gone.resolve);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const models = createModels({ keys: {}, scripted: async () => ({ url: `http://127.0.0.1:${port}`, wire }) });
  const model = await models.resolve('scripted/test');
  const { signal } = new AbortController();
  for await (const event of model.stream(request([message('user', [text('hi')])]), { signal })) {
    if (event.type === 'text') break;
  }
  await expect(gone.promise).resolves.toBeUndefined();
});

test('anthropic: thinking goes back with its signature, encrypted thinking as it came', async () => {
  const { model, server } = await start(
    'anthropic',
    `
steps:
  - reply: { thinking: "Deep.", encrypted: "b3BhcXVl", calls: [{ name: look }] }
  - reply: { text: done }
`,
  );
  const first = message('user', [text('hi')]);
  const { parts } = await answer(model, request([first]));
  expect(parts.slice(0, 2)).toMatchObject([
    { text: 'Deep.', providerState: { data: { signature: expect.stringMatching(/^sig-/) as string } } },
    { text: '', providerState: { data: { redacted_thinking: 'b3BhcXVl' } } },
  ]);
  const result = message('user', [{ type: 'result', call: 'call_0_0', text: 'seen', isError: false }]);
  expect((await answer(model, request([first, message('assistant', parts), result]))).parts).toEqual([text('done')]);
  const sent = server.requests[1]!.json as { messages: { content: unknown[] }[] };
  expect(sent.messages[1]!.content.slice(0, 2)).toEqual([
    { type: 'thinking', thinking: 'Deep.', signature: expect.stringMatching(/^sig-/) as string },
    { type: 'redacted_thinking', data: 'b3BhcXVl' },
  ]);
  // Changed thinking is refused, as by the real API: the round trip above is not a matter of luck.
  const forged = parts.map((part) => (part.type === 'thinking' ? { ...part, text: `${part.text}!` } : part));
  const events = await collect(model, request([first, message('assistant', forged), result]));
  expect(events).toMatchObject([{ type: 'failed', failure: { code: 'invalid_request', status: 400 } }]);
});

test('anthropic: user messages in a row are one, empty ones are left out, foreign ids are made fit', async () => {
  const { model, server } = await start('anthropic', 'steps: []\nfallback: { text: ok }');
  await answer(
    model,
    request([
      { ...message('user', [text('rules of the workspace')]), origin: 'context' },
      message('user', [text('  '), { type: 'file', name: 'a.txt', mediaType: 'text/plain', text: 'content' }]),
      message('assistant', []),
      message('user', [text('and')]),
      message('assistant', [
        { type: 'thinking', text: 'from elsewhere' },
        { type: 'call', id: 'functions.look:0', name: 'look', input: [1] },
      ]),
      message('user', [{ type: 'result', call: 'functions.look:0', text: 'no', isError: true }]),
      message('user', [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }]),
    ]),
  );
  expect(server.requests[0]!.json).toMatchObject({
    cache_control: { type: 'ephemeral' },
    system: [{ type: 'text', text: 'You are a test.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'rules of the workspace' },
          { type: 'text', text: '<document name="a.txt">\ncontent\n</document>' },
          { type: 'text', text: 'and' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'functions_look_0', input: { invalid_input: '[1]' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'functions_look_0', is_error: true },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
    ],
  });
});

test('openai: results come before text, images as data URLs, failures say so', async () => {
  const { model, server } = await start('openai', 'steps: []\nfallback: { text: ok }');
  await answer(
    model,
    request([
      message('user', [text('a'), text('b')]),
      message('assistant', [text('I look.'), { type: 'call', id: 'c1', name: 'look', input: { at: 1 } }]),
      message('user', [
        text('see'),
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        { type: 'result', call: 'c1', text: 'no', isError: true },
      ]),
    ]),
  );
  expect(server.requests[0]!.json).toMatchObject({
    stream_options: { include_usage: true },
    usage: { include: true },
    max_tokens: 1_000,
    messages: [
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'a\n\nb' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Error: no' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ],
  });
});

test('responses: reasoning goes back as it was sealed, and to no other provider', async () => {
  const yaml = `
steps:
  - reply: { thinking: "Deep.", text: "I look.", calls: [{ name: look, input: { at: 1 } }] }
  - reply: { text: done }
`;
  const { model, server } = await start('responses', yaml);
  const first = message('user', [text('hi')]);
  const { parts } = await answer(model, request([first]));
  const result = message('user', [{ type: 'result', call: 'call_0_0', text: 'seen', isError: true }]);
  const history = [first, message('assistant', parts), result];
  expect((await answer(model, request(history))).parts).toEqual([text('done')]);
  const { input, ...rest } = server.requests[1]!.json as { input: unknown[] };
  expect(rest).toMatchObject({
    instructions: 'You are a test.',
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 1_000,
    prompt_cache_key: 'S1',
    tools: [
      { type: 'function', name: 'look', strict: false },
      { type: 'function', name: 'act', strict: false },
    ],
  });
  expect(input).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    {
      type: 'reasoning',
      id: expect.stringMatching(/^rs_/) as string,
      summary: [{ type: 'summary_text', text: 'Deep.' }],
      encrypted_content: expect.stringMatching(/^sig-/) as string,
    },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', call_id: 'call_0_0', name: 'look', arguments: '{"at":1}' },
    { type: 'function_call_output', call_id: 'call_0_0', output: 'Error: seen' },
  ]);
  // Changed reasoning is refused, so the round trip above is not a matter of luck.
  const forged = parts.map((part) => (part.type === 'thinking' ? { ...part, text: 'Shallow.' } : part));
  const events = await collect(model, request([first, message('assistant', forged), result]));
  expect(events).toMatchObject([{ type: 'failed', failure: { code: 'invalid_request', status: 400 } }]);
  // A session that continues with another provider does not take it there, and what that one sealed stays there too.
  const other = await start('anthropic', yaml);
  const { parts: theirs } = await answer(other.model, request(history));
  expect(JSON.stringify(other.server.requests[0]!.json)).not.toContain('sig-');
  await answer(
    model,
    request([first, message('assistant', [{ type: 'thinking', text: 'x', encrypted: 'b3Bh' }, ...theirs])]),
  );
  expect(server.requests.at(-1)!.body).not.toContain('b3Bh');
});

test('responses: an answer that broke off while reasoning is left out; images and files go along', async () => {
  const { model, server } = await start('responses', 'steps: []\nfallback: { text: ok }');
  await answer(
    model,
    request([
      message('user', [
        text('see'),
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        { type: 'file', name: 'a.txt', mediaType: 'text/plain', text: 'content' },
      ]),
      message('assistant', [{ type: 'thinking', text: 'hm', encrypted: 'responses:rs_1:abc' }]),
      message('user', [text('continue')]),
    ]),
  );
  expect((server.requests[0]!.json as { input: unknown[] }).input).toEqual([
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'see' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
        { type: 'input_text', text: '<document name="a.txt">\ncontent\n</document>' },
      ],
    },
    { role: 'user', content: [{ type: 'input_text', text: 'continue' }] },
  ]);
});

test.each(WIRES)('%s: a request is valid Unicode, also for a log of a former version', async (wire) => {
  const { model, server } = await start(wire, 'steps: []\nfallback: { text: ok }');
  const half = 'half \ud83d x';
  await answer(
    model,
    request(
      [
        message('user', [text(half), { type: 'file', name: half, mediaType: 'text/plain', text: half }]),
        message('assistant', [text(half), { type: 'call', id: 'c1', name: half, input: { [half]: half } }]),
        message('user', [{ type: 'result', call: 'c1', text: half, isError: false }]),
      ],
      { system: half, tools: [{ ...tools[0]!, description: half }] },
    ),
  );
  const { body } = server.requests[0]!;
  expect(body).not.toMatch(/\\ud[89a-f]/);
  expect(body.match(/half \ufffd x/g)!.length).toBeGreaterThanOrEqual(7);
});

test.each(WIRES)('%s: only the model and server of an answer get its state', async (wire) => {
  const { model, server } = await start(
    wire,
    'steps:\n  - reply: { thinking: Deep., calls: [{ name: look }] }\n  - reply: { text: done }\n  - reply: { text: done }\n',
  );
  const first = message('user', [text('hi')]);
  const { parts } = await answer(model, request([first]));
  const result = message('user', [{ type: 'result', call: 'call_0_0', text: 'seen', isError: false }]);
  const state = /"signature"|"encrypted_content"|"reasoning":"Deep/;
  for (const [answeredBy, gets] of [
    [model.answeredBy, true],
    ['another/model at example.com', false],
  ] as const) {
    await answer(model, request([first, { ...message('assistant', parts), answeredBy }, result]));
    expect(state.test(server.requests.at(-1)!.body)).toBe(gets);
  }
});

/** A model of a real provider whose API is the scripted server. */
async function startProvider(name: string): Promise<{ model: Model; server: ModelServer }> {
  const server = await createModelServer({
    script: await parseScript('steps: []\nfallback: { text: ok }', 'test.yaml'),
  });
  onTestFinished(() => server.close());
  const baseUrls = { anthropic: server.url, openai: `${server.url}/v1`, openrouter: `${server.url}/v1` };
  const models = createModels({ keys: { anthropic: 'a', openai: 'o', openrouter: 'r' }, baseUrls });
  return { model: await models.resolve(name), server };
}

const SAMPLING_FIELDS = ['temperature', 'output_config', 'reasoning', 'reasoning_effort'];

async function samplingOf({ model, server }: { model: Model; server: ModelServer }, sampling: Sampling) {
  await answer(model, request([message('user', [text('hi')])], sampling));
  const sent = server.requests.at(-1)!.json as Record<string, unknown>;
  return Object.fromEntries(Object.entries(sent).filter(([field]) => SAMPLING_FIELDS.includes(field)));
}

test.each<[name: string, sampling: Sampling, sent: object]>([
  // Messages
  ['anthropic/claude-opus-5-5', { effort: 'low', temperature: 0.5 }, { output_config: { effort: 'low' } }],
  ['anthropic/claude-opus-5-5', { effort: 'max' }, { output_config: { effort: 'max' } }],
  [
    'anthropic/claude-opus-4-5',
    { effort: 'max', temperature: 0 },
    { output_config: { effort: 'high' }, temperature: 0 },
  ],
  ['anthropic/claude-haiku-4-5', { effort: 'high', temperature: 1 }, { temperature: 1 }],
  ['anthropic/claude-haiku-4-5', { temperature: 1.5 }, {}],
  ['anthropic/claude-not-yet-9', { effort: 'max', temperature: 1 }, { output_config: { effort: 'max' } }],
  // Chat completions
  ['openai/gpt-5-mini', { effort: 'max', temperature: 1 }, { reasoning_effort: 'high' }],
  ['openai/gpt-4o-mini', { effort: 'low', temperature: 2 }, { temperature: 2 }],
  ['openai/llama-local', { effort: 'low', temperature: 0.7 }, { temperature: 0.7 }],
  // OpenRouter
  ['openrouter/anthropic/claude-sonnet-5.5', { effort: 'medium', temperature: 1 }, { reasoning: { effort: 'medium' } }],
  ['openrouter/openai/gpt-4', { effort: 'medium', temperature: 0.7 }, { temperature: 0.7 }],
  [
    'openrouter/z-ai/glm-5.2',
    { effort: 'max', temperature: 0.2 },
    { reasoning: { effort: 'xhigh' }, temperature: 0.2 },
  ],
  ['openrouter/z-ai/glm-5.2', { effort: 'low' }, {}],
  ['openrouter/some/new-model', { effort: 'low', temperature: 1 }, { reasoning: { effort: 'low' }, temperature: 1 }],
])('%s gets of %o what it supports', async (name, sampling, sent) => {
  expect(await samplingOf(await startProvider(name), sampling)).toEqual(sent);
});

test('responses: the effort is sent as a level of reasoning, and a temperature is not sent', async () => {
  const started = await start('responses', 'steps: []\nfallback: { text: ok }');
  expect(await samplingOf(started, { effort: 'max', temperature: 1 })).toEqual({ reasoning: { effort: 'max' } });
});

test.each(WIRES)(
  '%s: the history begins a body regardless of effort and temperature, which are absent by default',
  async (wire) => {
    const started = await start(wire, 'steps: []\nfallback: { text: ok }');
    const { model, server } = started;
    expect(await samplingOf(started, {})).toEqual({});
    const messages = [message('user', [text('hi')])];
    await answer(model, request(messages));
    await answer(model, request(messages, { effort: 'low', temperature: 1 }));
    const [plain, chosen] = server.requests
      .slice(-2)
      .map(({ body }) => body.slice(0, body.lastIndexOf(']', body.search(/"max_(output_)?tokens"/))));
    expect(chosen).toBe(plain);
  },
);

test.each(WIRES)('%s: a request may be without system prompt and tools', async (wire) => {
  const { model, server } = await start(wire, 'steps: [{ when: { tools: false }, reply: { text: ok } }]');
  expect((await answer(model, request([message('user', [text('hi')])], { system: '', tools: [] }))).parts).toEqual([
    text('ok'),
  ]);
  expect(server.requests[0]!.json).not.toHaveProperty('tools');
});
