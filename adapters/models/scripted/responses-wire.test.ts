import { OpenAI } from 'openai';
import type { ResponseCreateParamsNonStreaming, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { expect, onTestFinished, test } from 'vitest';
import { createModelServer, type ModelServer } from './model-server.ts';
import { parseScript } from './script.ts';

// OpenAI Responses, read by the real SDK.

type Params = Omit<ResponseCreateParamsNonStreaming, 'model' | 'stream'>;

async function play(yaml: string): Promise<{ server: ModelServer; client: OpenAI }> {
  const server = await createModelServer({ script: await parseScript(yaml, 'test.yaml') });
  onTestFinished(() => server.close());
  const options = { apiKey: 'sk-secret', baseURL: `${server.url}/v1`, maxRetries: 0, logLevel: 'off' } as const;
  return { server, client: new OpenAI(options) };
}

async function stream(client: OpenAI, params: Params): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ model: 'demo', stream: true, ...params }))
    events.push(event);
  return events;
}

const ask = (client: OpenAI, params: Params) => client.responses.create({ model: 'demo', ...params });

const shell = { type: 'local_shell' } as const;
const patch = { type: 'custom', name: 'apply_patch' } as const;
const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} }, strict: false } as const;

const RICH = `
steps:
  - chunk: 4
    reply:
      thinking: "Let me think."
      text: "first to {{user}}"
      calls:
        - { name: look, input: { at: "{{user}}" } }
        - { name: apply_patch, raw: "*** Begin Patch" }
        - { shell: "ls -l" }
  - reply: { text: "then {{result}}" }
`;

test('a stream has the events of the real API in their order, and ends with the document', async () => {
  const { client } = await play(RICH);
  const params = { input: 'you', tools: [look, patch, shell] };
  const document = await ask(client, params);
  expect(document.output).toMatchObject([
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me think.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'first to you' }] },
    { type: 'function_call', call_id: 'call_0_0', name: 'look', arguments: '{"at":"you"}' },
    { type: 'custom_tool_call', call_id: 'call_0_1', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'local_shell_call', call_id: 'call_0_2', action: { type: 'exec', command: ['bash', '-lc', 'ls -l'] } },
  ]);
  const events = await stream(client, params);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
  const types = events.map((event) => event.type);
  expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.output_item.done',
    'response.completed',
  ]);
  const text = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));
  expect(text).toEqual(['firs', 't to', ' you']);
  const last = events.at(-1)!;
  if (last.type !== 'response.completed') throw new Error(`the last event is ${last.type}`);
  const { output_text: _convenience, ...completed } = document as unknown as Record<string, unknown>;
  expect(last.response).toMatchObject(completed);
});

test('what the model said comes back as several items and is one turn; the input may be text or a list', async () => {
  const { client } = await play(RICH);
  const tools = [look, patch, shell];
  const first = await ask(client, { input: 'you', tools });
  const history = [
    { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'you' }] },
    ...(first.output as never[]),
    { type: 'function_call_output' as const, call_id: 'call_0_0', output: 'seen' },
    { type: 'custom_tool_call_output' as const, call_id: 'call_0_1', output: 'patched' },
    { type: 'local_shell_call_output' as const, id: 'call_0_2', output: 'total 0' },
  ];
  expect((await ask(client, { input: history, tools })).output_text).toBe('then total 0');
});

test('steps are chosen by tool, result, instructions and tools, as on the other wires', async () => {
  const { client } = await play(`
steps:
  - when: { after: look, result: "b.g" }
    reply: { text: found }
  - when: { after: local_shell }
    reply: { text: listed }
  - when: { system: summar, tools: false }
    reply: { text: summary }
  - when: { system: "be brief" }
    reply: { text: brief }
`);
  const call = { type: 'function_call' as const, call_id: 'c', name: 'look', arguments: '{}' };
  const result = {
    type: 'function_call_output' as const,
    call_id: 'c',
    output: [{ type: 'input_text' as const, text: 'a bug' }],
  };
  expect((await ask(client, { input: [call, result] })).output_text).toBe('found');
  const action = { type: 'exec' as const, command: ['ls'], env: {} };
  const shellCall = { type: 'local_shell_call' as const, id: 'l', call_id: 'l', action, status: 'completed' as const };
  const listed = { type: 'local_shell_call_output' as const, id: 'l', output: 'x' };
  expect((await ask(client, { input: [shellCall, listed] })).output_text).toBe('listed');
  expect((await ask(client, { input: 'a', instructions: 'summarise this' })).output_text).toBe('summary');
  const developer = { role: 'developer' as const, content: 'be brief' };
  expect((await ask(client, { input: [developer, { role: 'user', content: 'a' }], tools: [look] })).output_text).toBe(
    'brief',
  );
});

test('a request that leans on an earlier response is refused, because nothing is kept', async () => {
  const { client } = await play('steps: []\nfallback: { text: ok }\n');
  await expect(ask(client, { input: 'a', previous_response_id: 'resp_1' })).rejects.toThrow('previous_response_id');
});

test('a prompt that was sent before counts as read from the cache', async () => {
  const { client } = await play('steps: []\nfallback: { thinking: "01234567", text: ok }\n');
  const user = (content: string) => ({ role: 'user' as const, content });
  const first = [user('x'.repeat(4_000))];
  const cold = await ask(client, { input: first });
  expect(cold.usage).toMatchObject({
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 2 },
  });
  const second = [...first, ...(cold.output as never[]), user('y'.repeat(400))];
  const warm = await ask(client, { input: second });
  expect(warm.usage!.input_tokens_details.cached_tokens).toBe(cold.usage!.input_tokens);
  const changed = await ask(client, { input: [user('z'.repeat(4_000)), ...second.slice(1)] });
  expect(changed.usage!.input_tokens_details.cached_tokens).toBeLessThan(10);
});

test('an answer that was cut short says why', async () => {
  const { client } = await play(`
steps:
  - reply: { text: long, stop: max_tokens }
  - reply: { text: bad, stop: refusal }
`);
  expect(await ask(client, { input: 'a' })).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  });
  const events = await stream(client, {
    input: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ],
  });
  expect(events.at(-1)).toMatchObject({
    type: 'response.incomplete',
    response: { incomplete_details: { reason: 'content_filter' } },
  });
});

test('faults break this wire too, and the same request then gets its answer', async () => {
  const { server, client } = await play(`
steps:
  - chunk: 2
    reply: { text: "full answer" }
    faults:
      - { kind: status, status: 429, retryAfter: 2 }
      - { kind: reset, after: 5 }
      - { kind: malformed, after: 5 }
      - { kind: error, after: 5 }
      - { kind: truncate, after: 5 }
`);
  await expect(stream(client, { input: 'a' })).rejects.toMatchObject({ status: 429 });
  await expect(stream(client, { input: 'a' })).rejects.toThrow('terminated');
  await expect(stream(client, { input: 'a' })).rejects.toThrow(SyntaxError);
  expect((await stream(client, { input: 'a' })).at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_is_overloaded', message: 'Overloaded' } },
  });
  expect((await stream(client, { input: 'a' })).at(-1)!.type).not.toBe('response.completed');
  expect((await stream(client, { input: 'a' })).at(-1)).toMatchObject({ type: 'response.completed' });
  expect(server.requests.map(({ fault }) => fault)).toEqual([
    'status',
    'reset',
    'malformed',
    'error',
    'truncate',
    undefined,
  ]);
});
