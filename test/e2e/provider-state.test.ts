// Covers adapters/models, core/agent/redaction, core/agent/refusals: what a provider wants back with its answers.
import { isDeepStrictEqual } from 'node:util';
import { createKlaus, type Klaus, type Session } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createChatServer, toCallDelta, type ChatBody, type ChatServer } from '../fixtures/chat-server.ts';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const FILES = { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' };
const READ = toCallDelta(0, 'read_file', { path: 'a.txt' });

/** A provider: its answers, and what it demands of an assistant message with calls and of its calls. */
interface Provider {
  answer: readonly object[];
  message?: Record<string, unknown>;
  calls?: readonly Record<string, unknown>[];
}

const SIGNED = { google: { thought_signature: 'SIG' } };
const PROVIDERS: Readonly<Record<string, Provider>> = {
  DeepSeek: {
    answer: [{ reasoning_content: 'I read' }, { reasoning_content: ' a.txt' }, READ],
    message: { reasoning_content: 'I read a.txt' },
  },
  'DeepSeek without a thought': {
    answer: [{ role: 'assistant', content: null, reasoning_content: '' }, READ],
    message: { reasoning_content: '' },
  },
  vLLM: { answer: [{ reasoning: 'I read', reasoning_content: null }, READ], message: { reasoning: 'I read' } },
  OpenRouter: {
    answer: [
      { reasoning: 'I ', reasoning_details: [{ type: 'reasoning.text', text: 'I ', format: 'f', index: 0 }] },
      { reasoning: 'read', reasoning_details: [{ type: 'reasoning.text', text: 'read', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.text', signature: 's', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'S', id: 'call_0', format: 'g', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'T', id: 'call_1', format: 'g', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.summary', summary: 'x' }] },
      { reasoning_details: [{ type: 'reasoning.summary', summary: 'y' }] },
      READ,
    ],
    message: {
      reasoning_details: [
        { type: 'reasoning.text', text: 'I read', format: 'f', signature: 's', index: 0 },
        { type: 'reasoning.encrypted', data: 'S', id: 'call_0', format: 'g', index: 0 },
        { type: 'reasoning.encrypted', data: 'T', id: 'call_1', format: 'g', index: 0 },
        { type: 'reasoning.summary', summary: 'x' },
        { type: 'reasoning.summary', summary: 'y' },
      ],
    },
  },
  Gemini: {
    answer: [
      { content: 'Reading. ', extra_content: { google: { thought_signature: 'OF THE TEXT' } } },
      toCallDelta(0, 'read_file', { path: 'a.txt' }, { extra_content: SIGNED }),
      toCallDelta(1, 'read_file', { path: 'b.txt' }),
    ],
    message: { extra_content: { google: { thought_signature: 'OF THE TEXT' } } },
    calls: [{ extra_content: SIGNED }, {}],
  },
};

const KEYS = ['reasoning', 'reasoning_content', 'reasoning_details', 'extra_content'];

function pick(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => KEYS.includes(key)));
}

/** The opaque fields of the first answer in a request. */
function stateOf({ messages }: ChatBody): object {
  const answer = messages.find(({ tool_calls: calls }) => calls !== undefined)!;
  const calls = answer['tool_calls'] as Record<string, unknown>[];
  return { message: pick(answer), calls: calls.map(pick) };
}

function open(place: TestHome, server: ChatServer, model = 'openai/m'): Promise<Klaus> {
  return createKlaus({
    home: place.home,
    cwd: place.workspace,
    env: { ...place.env, OPENAI_API_KEY: 'x', OPENAI_BASE_URL: server.url },
    settings: { model, 'sandbox.driver': 'host', 'retry.baseMs': 1, checkpoint: 'manual' },
  });
}

async function run(session: Session, prompt: string): Promise<string | undefined> {
  await session.prompt(prompt);
  const advanced = await session.advance();
  return advanced.state === 'idle' ? advanced.finished?.outcome : advanced.state;
}

describe.each(Object.entries(PROVIDERS))('%s', (_, { answer, message = {}, calls }) => {
  const state = { message, calls: calls ?? [{}] };
  /** As a server that demands it does. */
  const demand = (body: ChatBody): string | undefined => {
    if (!body.messages.some(({ tool_calls: called }) => called)) return undefined;
    return isDeepStrictEqual(stateOf(body), state) ? undefined : 'Bad Request';
  };

  test('gets its state back in every later request, also by another process', async () => {
    await using server = await createChatServer([answer, [{ content: 'done' }]], demand);
    using place = createTestHome(FILES);
    let session: Session;
    {
      await using klaus = await open(place, server);
      session = await klaus.open();
      expect(await run(session, 'read a.txt')).toBe('done');
    }
    await using klaus = await open(place, server);
    const again = await klaus.session(session.id);
    expect(await run(again, 'and again')).toBe('done');
    expect(server.bodies.slice(1).map(stateOf)).toEqual([state, state]);
    expect((await again.replay()).outcome).toBe('equal');
  });

  test('another model and another server do not get it', async () => {
    await using server = await createChatServer([answer, [{ content: 'done' }]]);
    await using other = await createChatServer([[{ content: 'done' }]]);
    using place = createTestHome(FILES);
    let id: string;
    const none = { message: {}, calls: state.calls.map(() => ({})) };
    {
      await using klaus = await open(place, server);
      const session = await klaus.open();
      ({ id } = session);
      expect(await run(session, 'read a.txt')).toBe('done');
      await session.send({ type: 'change', model: 'openai/other' });
      expect(await run(session, 'and again')).toBe('done');
      expect(stateOf(server.bodies.at(-1)!)).toEqual(none);
      await session.send({ type: 'change', model: 'openai/m' });
      expect(await run(session, 'and again')).toBe('done');
      expect(stateOf(server.bodies.at(-1)!)).toEqual(state);
    }
    await using klaus = await open(place, other);
    expect(await run(await klaus.session(id), 'and again')).toBe('done');
    expect(stateOf(other.bodies.at(-1)!)).toEqual(none);
  });
});

test.each([
  ['The `reasoning_content` in the thinking mode must be passed back to the API.', 'reasoning_content'],
  ['Function call is missing a thought_signature in functionCall parts.', 'extra_content'],
])('calls of another model are sent as text to a server that says: %s', async (message, field) => {
  const demand = ({ model, messages }: ChatBody): string | undefined => {
    if (model !== 'strict') return undefined;
    const has = (value: unknown): boolean => typeof value === 'object' && value !== null && field in value;
    const lacks = messages.some((each) => each['tool_calls'] && ![each, ...(each['tool_calls'] as object[])].some(has));
    return lacks ? message : undefined;
  };
  await using server = await createChatServer([[READ], [{ content: 'done' }]], demand);
  using place = createTestHome(FILES);
  await using klaus = await open(place, server);
  const session = await klaus.open();
  expect(await run(session, 'read a.txt')).toBe('done');
  await session.send({ type: 'change', model: 'openai/strict' });
  expect(await run(session, 'and again')).toBe('done');
  const { messages } = server.bodies.at(-1)!;
  expect(messages.some((each) => 'tool_calls' in each || each.role === 'tool')).toBe(false);
  expect(JSON.stringify(messages)).toContain('alpha');
});

test('reasoning that a server does not know is left out at once', async () => {
  const demand = ({ messages }: ChatBody): string | undefined =>
    messages.some((each) => 'reasoning' in each) ? "property 'reasoning' is unsupported, reasoning_content" : undefined;
  await using server = await createChatServer([[{ reasoning: 'hm' }, READ], [{ content: 'done' }]], demand);
  using place = createTestHome(FILES);
  await using klaus = await open(place, server);
  const session = await klaus.open();
  expect(await run(session, 'read a.txt')).toBe('done');
  expect(await run(session, 'and again')).toBe('done');
});

const KEY = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('');

test.each(['anthropic', 'openai', 'responses'] as const)(
  '%s: reasoning with a secret is not sent back, and the session continues',
  async (wire) => {
    await using engine = await createTestEngine({
      files: FILES,
      script: {
        wire,
        steps: [
          {
            when: { turn: 0, tools: true },
            reply: { thinking: `the key is ${KEY}, I read`, calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
          },
          {
            when: { turn: 1, tools: true },
            reply: { thinking: 'hm', calls: [{ name: 'read_file', input: { path: 'b.txt' } }] },
          },
        ],
        fallback: { text: 'done' },
      },
    });
    const session = await engine.klaus.open();
    expect(await run(session, 'go')).toBe('done');
    await engine.reopen();
    expect(await run(await engine.klaus.session(session.id), 'and again')).toBe('done');
    const events = await Array.fromAsync(engine.klaus.handle(session.id).events());
    expect(JSON.stringify(events)).not.toContain(KEY);
    const bodies = engine.server.requests.map(({ body }) => body);
    expect(bodies.filter((body) => body.includes(KEY))).toEqual([]);
    expect(ofType(events, 'model.attempted').filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    // Plain reasoning is sent back redacted, and the second thought is complete.
    const last = bodies.findLast((body) => body.includes('"tools"'))!;
    expect(/the key is .secret:/.test(last)).toBe(wire === 'openai');
    expect(last).toMatch(/"(?:thinking|reasoning|text)":"hm"/);
  },
);

test.each(['anthropic', 'openai', 'responses'] as const)(
  '%s: names of tools that the model invents are valid when they are sent back',
  async (wire) => {
    const invented = ['read file.now/x', 'n'.repeat(80), 'Ünïcode😀', ''];
    await using engine = await createTestEngine({
      script: {
        wire,
        steps: [{ when: { turn: 0, tools: true }, reply: { calls: invented.map((name) => ({ name, input: {} })) } }],
        fallback: { text: 'done' },
      },
    });
    const session = await engine.klaus.open();
    expect(await run(session, 'go')).toBe('done');
    expect(await run(session, 'and again')).toBe('done');
    const added = ofType(await Array.fromAsync(session.events()), 'message.added');
    const logged = added
      .flatMap(({ message }) => message.parts)
      .flatMap((part) => (part.type === 'call' ? [part.name] : []));
    expect(logged).toEqual(invented);
    const last = engine.server.requests.findLast(({ body }) => body.includes('"tools"'))!;
    const sent = findNames(last.json);
    expect(sent.length).toBeGreaterThanOrEqual(invented.length);
    for (const name of sent) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  },
);

/** The names of all tools and calls in a body. */
function findNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'name' in value && typeof value.name === 'string' ? [value.name] : [];
  return [...own, ...Object.values(value).flatMap(findNames)];
}
