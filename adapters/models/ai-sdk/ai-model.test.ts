import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import type { Model, ModelEvent } from '@klaus/core/agent';
import type { Message, Part } from '@klaus/core/protocol';
import { createModels } from '../models.ts';

// A provider of the test, for what no format of the scripted server has. Real providers are in test/ai-sdk.

type Prompt = { role: string; content: Record<string, unknown>[] }[];

interface Recorded {
  model: Model;
  prompts: Prompt[];
}

async function connect(parts: readonly unknown[], version = 'v4', provider = 'mine.chat'): Promise<Recorded> {
  const prompts: Prompt[] = [];
  const languageModel = () => ({
    specificationVersion: version,
    provider,
    async doStream({ prompt }: { prompt: Prompt }) {
      prompts.push(structuredClone(prompt));
      return { stream: ReadableStream.from(parts) };
    },
  });
  const aiSdk = { folder: '/nowhere', providers: { mine: { languageModel } } };
  return { model: await createModels({ keys: {}, aiSdk }).resolve('ai/mine/m'), prompts };
}

async function ask(model: Model, messages: Message[]): Promise<ModelEvent> {
  const request = { system: '', tools: [], messages, maxOutputTokens: 100, session: 'S1' };
  const events = await Array.fromAsync(model.stream(request, { signal: new AbortController().signal }));
  return events.at(-1)!;
}

function message(role: Message['role'], ...parts: Part[]): Message {
  return { id: 'M1', role, origin: role === 'assistant' ? 'model' : 'user', parts };
}

const HELLO = message('user', { type: 'text', text: 'Hello' });

function finish(usage: object = {}, raw: string | undefined = 'stop'): LanguageModelV4StreamPart {
  return {
    type: 'finish',
    finishReason: { unified: 'stop', raw },
    usage: { inputTokens: {}, outputTokens: {}, ...usage } as never,
  };
}

test('signatures of calls and reasoning of any provider go back with their parts', async () => {
  const { model, prompts } = await connect([
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r', providerMetadata: { bedrock: { signature: 's1' } } },
    {
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'look',
      input: '{}',
      providerMetadata: { google: { thoughtSignature: 's2', itemId: 'x' } },
    },
    { type: 'tool-call', toolCallId: 'c2', toolName: 'look', input: '{}' },
    finish(),
  ]);
  const finished = await ask(model, [HELLO]);
  if (finished.type !== 'finished') throw new Error(JSON.stringify(finished));
  await ask(model, [HELLO, message('assistant', ...finished.parts)]);
  expect(prompts[1]![1]!.content).toEqual([
    { type: 'reasoning', text: 'hm', providerOptions: { bedrock: { signature: 's1' } } },
    {
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'look',
      input: {},
      providerOptions: { google: { thoughtSignature: 's2' } },
    },
    { type: 'tool-call', toolCallId: 'c2', toolName: 'look', input: {} },
  ]);
});

test('signatures in a log of a former version go back with the part that follows', async () => {
  const { model, prompts } = await connect([finish()]);
  const encrypted = 'ai-sdk:next:{"google":{"thoughtSignature":"s"}}';
  await ask(model, [
    HELLO,
    message(
      'assistant',
      { type: 'thinking', text: '', encrypted },
      { type: 'call', id: 'c1', name: 'look', input: {} },
    ),
  ]);
  expect(prompts[0]![1]!.content).toMatchObject([{ providerOptions: { google: { thoughtSignature: 's' } } }]);
});

test('what a model invented is valid when it goes back, and text is valid Unicode', async () => {
  const { model, prompts } = await connect([finish()]);
  await ask(model, [
    HELLO,
    message('assistant', { type: 'call', id: 'c1', name: 'read file/x', input: { path: 'half \ud83d' } }),
    message('user', { type: 'result', call: 'c1', text: '\ude00', isError: true }),
  ]);
  const sent = prompts[0]!.flatMap(({ content }) => content).filter(({ toolName }) => toolName !== undefined);
  expect(sent.map(({ toolName }) => toolName)).toEqual(['read_file_x', 'read_file_x']);
  expect(JSON.stringify(prompts)).not.toMatch(/\\ud[89a-f]/);
});

test('an answer of reasoning alone is not sent back', async () => {
  const { model, prompts } = await connect([finish()]);
  await ask(model, [HELLO, message('assistant', { type: 'thinking', text: 'hm', signature: 's' }), HELLO]);
  expect(prompts[0]!.map(({ role }) => role)).toEqual(['user', 'user']);
});

test('ids of calls have the form that the provider accepts', async () => {
  const call = (id: string) => ({ type: 'call' as const, id, name: 'look', input: {} });
  const result = (id: string) => ({ type: 'result' as const, call: id, text: 'seen', isError: false });
  const history = [
    HELLO,
    message('assistant', call('call_1:2'), call('abcDEF123')),
    message('user', result('call_1:2'), result('abcDEF123')),
  ];
  for (const [provider, expected] of [
    ['mine.chat', /^call_1_2$/],
    ['mistral.chat', /^[a-z0-9]{9}$/],
  ] as const) {
    const { model, prompts } = await connect([finish()], 'v4', provider);
    await ask(model, history);
    const [, calls, results] = prompts[0]!.map(({ content }) => content.map(({ toolCallId }) => toolCallId));
    expect(calls).toEqual([expect.stringMatching(expected), 'abcDEF123']);
    expect(results).toEqual(calls);
  }
});

test('files have the form of the version', async () => {
  const image = message('user', { type: 'image', mediaType: 'image/png', data: 'aGk=' });
  for (const [version, data] of [
    ['v3', 'aGk='],
    ['v4', { type: 'data', data: 'aGk=' }],
  ] as const) {
    const { model, prompts } = await connect([finish()], version);
    await ask(model, [image]);
    expect(prompts[0]![0]!.content).toEqual([{ type: 'file', mediaType: 'image/png', data }]);
  }
});

test('usage that is not reported is estimated', async () => {
  const text = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'A longer answer.' },
    { type: 'text-end', id: 't' },
  ];
  const { model } = await connect([...text, finish()]);
  const finished = await ask(model, [HELLO]);
  expect(finished).toMatchObject({ type: 'finished', usage: { output: 4, cacheRead: 0 } });
  const reported = await connect([
    ...text,
    finish({ inputTokens: { total: 9, cacheRead: 4 }, outputTokens: { total: 2 } }),
  ]);
  expect(await ask(reported.model, [HELLO])).toMatchObject({
    usage: { input: 5, output: 2, cacheRead: 4, cacheWrite: 0 },
  });
});

test('usage that is impossible is estimated', async () => {
  for (const [total, output] of [
    [0, 0],
    [5_000_000, 2],
    [-3, 2],
    [2.5, 2],
    ['9', '2'],
    [9, 9e15],
  ]) {
    const { model } = await connect([
      { type: 'text-delta', id: 't', delta: 'A longer answer.' },
      finish({ inputTokens: { total }, outputTokens: { total: output } }),
    ]);
    const finished = await ask(model, [HELLO]);
    if (finished.type !== 'finished') throw new Error(JSON.stringify(finished));
    const { usage, isEstimated } = finished;
    expect({ total, output, isEstimated }).toMatchObject({ isEstimated: true });
    expect(usage.input).toBeGreaterThan(0);
    expect(usage.input + usage.output).toBeLessThan(50);
  }
});

/** An error of the AI SDK for an answer of a server. */
function toCallError(statusCode: number, responseBody: string): Error {
  return Object.assign(new Error('what the AI SDK read'), {
    [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
    statusCode,
    responseBody,
  });
}

test.each([
  [toCallError(400, '[{"error":{"code":400,"message":"own words","status":"INVALID_ARGUMENT"}}]'), 'own words'],
  [toCallError(422, '{"detail":[{"loc":["body"],"msg":"own words","type":"x"}]}'), 'own words'],
  [toCallError(200, '{"error":{"message":"own words","type":"invalid_request_error"}}'), 'own words'],
  [toCallError(400, '{"odd":1}'), 'what the AI SDK read'],
  [{ message: 'own words', code: 400 }, 'own words'],
  ['{"error":{"message":"own words","code":400}}', 'own words'],
])('an error is reported in the words of the server: %j', async (error, words) => {
  const { model } = await connect([{ type: 'error', error }]);
  const failed = await ask(model, [HELLO]);
  expect(failed).toMatchObject({ type: 'failed', failure: { code: 'invalid_request', body: expect.any(String) } });
  expect(failed.type === 'failed' && failed.failure.message).toContain(words);
});

test('the window that an error names is known', async () => {
  const body = '{"error":{"message":"x","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}';
  const { model } = await connect([{ type: 'error', error: toCallError(400, body) }]);
  const failure = { code: 'context_window', sizes: { contextWindow: 4_096 } };
  expect(await ask(model, [HELLO])).toMatchObject({ failure });
});

test.each([
  [
    'an end without a reason',
    [finish({}, undefined)].map((part) => ({ ...part, finishReason: { unified: 'other' } })),
    'connection',
  ],
  ['a stream without an end', [], 'connection'],
  ['an error of the stream', [{ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }], 'overloaded'],
  ['an error of its code', [{ type: 'error', error: new RangeError('a bug') }], 'invalid_request'],
])('%s is a failure', async (_, parts, code) => {
  const { model } = await connect(parts);
  expect(await ask(model, [HELLO])).toMatchObject({ type: 'failed', failure: { code } });
});

test('a parameter that the provider refuses is left out from then on, and reported once', async () => {
  const calls: Record<string, unknown>[] = [];
  const notices: string[] = [];
  const languageModel = () => ({
    specificationVersion: 'v4',
    provider: 'mine.chat',
    async doStream(call: Record<string, unknown>) {
      calls.push(call);
      const name =
        call['temperature'] === undefined ? (call['reasoning'] ? 'reasoning_effort' : undefined) : 'temperature';
      if (name === undefined) return { stream: ReadableStream.from([finish()]) };
      const message = `Unsupported parameter: '${name}' is not supported with this model.`;
      throw Object.assign(new Error(message), {
        [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
        statusCode: 400,
        responseBody: JSON.stringify({ error: { message, param: name, code: 'unsupported_parameter' } }),
      });
    },
  });
  const aiSdk = { folder: '/nowhere', providers: { mine: { languageModel } } };
  const models = createModels({ keys: {}, aiSdk, onNotice: (text) => notices.push(text) });
  const model = await models.resolve('ai/mine/m');
  const request = {
    ...{ system: '', tools: [], messages: [HELLO], maxOutputTokens: 100, session: 'S1' },
    ...{ temperature: 0.2, effort: 'high' as const },
  };
  for (const expected of [3, 4]) {
    const events = await Array.fromAsync(model.stream(request, { signal: new AbortController().signal }));
    expect(events.at(-1)).toMatchObject({ type: 'finished' });
    expect(calls).toHaveLength(expected);
  }
  expect(calls.at(-1)).toMatchObject({ maxOutputTokens: 100 });
  expect(notices).toHaveLength(2);
});
