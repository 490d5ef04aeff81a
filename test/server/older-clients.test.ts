import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Script } from '@klaus/sdk';
import { io, type Socket } from 'socket.io-client';
import { expect } from 'vitest';
import WebSocket from 'ws';
import { startServer } from '../fixtures/klaus.ts';
import { createPlace } from '../fixtures/place.ts';
import { test } from '../fixtures/sandboxed.ts';
import { follow, startServeProcess, type ServeProcess } from '../fixtures/server.ts';

const HEADERS = { authorization: 'Bearer a-secret-of-the-test' };

const usage = (input: number) => ({ input, output: 100, cacheRead: 0, cacheWrite: 0 });
const asks = (path: string) => ({ calls: [{ name: 'write_file', input: { path, content: 'x\n' } }] });

/** One prompt for each thing that the older protocols can say. */
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'read', after: 'read_file' }, reply: { text: 'Read.', usage: usage(100) } },
    {
      when: { user: 'read' },
      reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }], usage: usage(100) },
    },
    { when: { user: 'write', after: 'write_file' }, reply: { text: 'Written.', usage: usage(100) } },
    { when: { user: 'write one' }, reply: asks('one.txt') },
    { when: { user: 'write two' }, reply: asks('two.txt') },
    {
      when: { user: 'build', after: 'run_command' },
      reply: { text: 'Built.', usage: usage(100) },
    },
    {
      when: { user: 'build' },
      reply: { calls: [{ name: 'run_command', input: { command: 'echo step 1; sleep 0.4; echo step 2' } }] },
    },
    { when: { user: 'twice' }, faults: [{ kind: 'status', status: 529 }], reply: { text: 'At the second try.' } },
    { when: { user: 'fail' }, faults: [{ kind: 'status', status: 400, always: true }], reply: { text: 'never' } },
    { when: { user: 'slow' }, pace: 40, reply: { text: { repeat: 'word ', times: 100 } } },
    { when: { user: 'endless' }, pace: 20, reply: { text: { repeat: 'on ', times: 100_000 } } },
    { when: { user: 'spend', turn: 0 }, reply: { ...asks('spent-1.txt'), usage: usage(90_000) } },
    { when: { user: 'spend' }, reply: { ...asks('spent-2.txt'), usage: usage(9_000) } },
  ],
};

/** A `klaus serve` that is killed and comes back at its address. */
async function startRestartable(place: ReturnType<typeof createPlace>, model: Awaited<ReturnType<typeof startServer>>) {
  const words = ['--approve', 'ask'];
  // A command whose changes are asked about works on a layer.
  const env = { KLAUS_SANDBOX: 'bubblewrap' };
  let serving: ServeProcess = await startServeProcess(place, model, { words, env });
  const { port } = new URL(serving.url);
  return {
    url: serving.url,
    client: () => serving.client,
    async restart(): Promise<void> {
      serving.process.kill('SIGKILL');
      await serving.process.ended;
      serving = await startServeProcess(place, model, { env, words: [...words, '--port', port] });
    },
    async [Symbol.asyncDispose]() {
      serving.process.kill('SIGKILL');
      await serving.process.ended;
    },
  };
}

type Told = Record<string, unknown> & { sessionId?: string };

/** The client of the one protocol: it emits five names, listens to eleven, and knows nothing else of the server. */
class NamedClient {
  readonly seen = new Map<string, Told>();
  readonly #socket: Socket;
  #told: [string, Told][] = [];
  #look: (() => void) | undefined;
  #session: string | undefined;

  constructor(url: string) {
    this.#socket = io(url, { extraHeaders: HEADERS, reconnectionDelay: 20, reconnectionDelayMax: 50 });
    this.#socket.on('connect', () => {
      if (this.#session !== undefined) this.#socket.emit('join_session', { sessionId: this.#session });
    });
    this.#socket.onAny((name: string, data: Told) => {
      this.seen.set(name, data);
      this.#session = data.sessionId ?? this.#session;
      this.#told.push([name, data]);
      this.#look?.();
    });
  }

  forget(): void {
    this.#told = [];
  }

  /** The next event of this name that fits. */
  until(name: string, fits: (data: Told) => boolean = () => true): Promise<Told> {
    return new Promise((resolve) => {
      this.#look = () => {
        const at = this.#told.findIndex(([it, data]) => it === name && fits(data));
        if (at < 0) return;
        const [, data] = this.#told[at]!;
        this.#told = this.#told.slice(at + 1);
        resolve(data);
      };
      this.#look();
    });
  }

  say(message: string): void {
    this.#told = [];
    this.#session = undefined;
    this.#socket.emit('prompt', { message });
  }

  answer(patchId: unknown, approved: boolean): void {
    this.#told = [];
    this.#socket.emit('patch_approval_response', { patchId, approved });
  }

  cancel(): void {
    this.#socket.emit('cancel', { sessionId: this.#session });
  }

  leave(): void {
    this.#socket.emit('leave_session', { sessionId: this.#session });
  }

  join(sessionId: unknown): void {
    this.#told = [];
    this.#socket.emit('join_session', { sessionId });
  }

  close(): void {
    this.#socket.disconnect();
  }
}

/** What the server may tell it, with the payload that its manual promises. */
const EVENTS: Record<string, object> = {
  thinking: { messageCount: expect.any(Number) },
  stream_delta: { delta: expect.any(String) },
  tool_call: { name: expect.any(String), input: expect.any(Object), id: expect.any(String) },
  tool_result: {
    toolCallId: expect.any(String),
    result: expect.any(String),
    success: expect.any(Boolean),
    durationMs: expect.any(Number),
  },
  tool_progress: {
    toolCallId: expect.any(String),
    progress: expect.any(String),
    status: expect.any(String),
    elapsedMs: expect.any(Number),
  },
  error: { error: expect.any(String), sessionId: expect.any(String) },
  turn_complete: { turn: expect.any(Number), inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
  budget_warning: { percentUsed: expect.any(Number), totalTokens: expect.any(Number) },
  budget_exceeded: { totalTokens: expect.any(Number), limit: expect.any(Number) },
  patch_approval_required: {
    patchId: expect.any(String),
    filePath: expect.any(String),
    diff: expect.any(String),
    operation: expect.any(String),
  },
  complete: { sessionId: expect.any(String), summary: expect.any(String), tokenUsage: expect.any(Object) },
};

const lengthOf = ({ delta }: Told): number => String(delta).length;

/** The client's own test: every name that it sends, and every one that it hears. `pause` comes in the middle of things. */
async function testNamedClient(client: NamedClient, folder: string, pause: () => Promise<void>): Promise<void> {
  client.say('read');
  const first = await client.until('complete');
  expect(first.summary).toEqual(expect.any(String));

  for (const [prompt, approved] of [
    ['write one', true],
    ['write two', false],
  ] as const) {
    client.say(prompt);
    const asked = await client.until('patch_approval_required');
    expect(asked).toMatchObject({ operation: 'create', diff: expect.stringContaining('+x') });
    await pause();
    client.answer(asked['patchId'], approved);
    // Of a run whose only call was refused its manual knows no better word.
    await client.until(approved ? 'complete' : 'error');
    expect(existsSync(join(folder, String(asked['filePath'])))).toBe(approved);
  }

  client.say('build');
  client.answer((await client.until('patch_approval_required'))['patchId'], true);
  expect((await client.until('tool_progress'))['progress']).toContain('step 1');
  await client.until('complete');

  client.say('twice');
  expect(await client.until('error')).toMatchObject({ retrying: true });
  await client.until('complete');
  client.say('fail');
  expect((await client.until('error'))['retrying']).toBeUndefined();

  client.say('endless');
  const { sessionId } = await client.until('stream_delta');
  await pause();
  client.forget();
  const heard = lengthOf(await client.until('stream_delta')) + lengthOf(await client.until('stream_delta'));
  // Whoever comes in the middle of an answer is told it from its beginning at once, and then goes on with it.
  client.leave();
  client.join(sessionId);
  await client.until('stream_delta', (delta) => lengthOf(delta) >= heard);
  await client.until('stream_delta');
  client.cancel();
  expect(await client.until('error')).toMatchObject({ sessionId, outcome: 'cancelled' });

  client.say('spend');
  client.answer((await client.until('patch_approval_required'))['patchId'], true);
  // At the limit it is asked whether more may be spent.
  const { patchId, operation } = await client.until('patch_approval_required');
  expect(operation).toBe('limit');
  client.answer(patchId, false);
  await client.until('budget_exceeded');
  await client.until('complete');

  // Whoever left hears nothing; whoever joins is told how it stands.
  client.leave();
  client.join(first.sessionId);
  expect((await client.until('complete')).sessionId).toBe(first.sessionId);
}

test('a client of the events with names passes its own test, over a server that is killed and comes back', async () => {
  using place = createPlace();
  await using model = await startServer(SCRIPT);
  await using serving = await startRestartable(place, model);
  const client = new NamedClient(serving.url);
  try {
    await testNamedClient(client, place.workspace, () => serving.restart());
    expect([...client.seen.keys()].toSorted()).toEqual(Object.keys(EVENTS).toSorted());
    for (const [name, payload] of Object.entries(EVENTS)) expect(client.seen.get(name), name).toMatchObject(payload);
  } finally {
    client.close();
  }
}, 240_000);

interface ChatMessage {
  type: string;
  [field: string]: unknown;
}

/** The client of the other protocol: one socket, that it opens again whenever it is closed. */
class ChatClient {
  heard: ChatMessage[] = [];
  readonly #url: string;
  #socket: WebSocket | undefined;
  #look: (() => void) | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async open(): Promise<void> {
    const socket = new WebSocket(this.#url, { headers: HEADERS });
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => {
      this.heard.push(JSON.parse(data.toString('utf8')) as ChatMessage);
      this.#look?.();
    });
    // Unless it was left on purpose, it is opened again.
    socket.on('close', () => {
      if (this.#socket === socket) setTimeout(() => void this.open(), 50);
    });
    await once(socket, 'open').catch(() => {});
  }

  say(content: string): void {
    this.heard = [];
    this.#socket!.send(JSON.stringify({ type: 'message', content }));
  }

  cancel(): void {
    this.#socket!.send(JSON.stringify({ type: 'cancel' }));
  }

  until(type: string, fits: (message: ChatMessage) => boolean = () => true): Promise<ChatMessage> {
    return new Promise((resolve) => {
      this.#look = () => {
        const found = this.heard.find((message) => message.type === type && fits(message));
        if (found) resolve(found);
      };
      this.#look();
    });
  }

  /** What was said to it, without what it does not know. */
  get text(): string {
    return this.heard.map(({ type, content }) => (type === 'stream_chunk' ? String(content) : '')).join('');
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}

/** The client's own test. */
async function testChatClient(client: ChatClient): Promise<void> {
  client.say('read');
  await client.until('stream_complete');
  expect(client.text).toBe('I look.Read.');
  expect(await client.until('tool_call')).toMatchObject({ tool: 'read_file', args: { path: 'README.md' } });
  expect(await client.until('tool_result')).toMatchObject({ result: expect.stringContaining('Test') });
}

test('a client of the chat passes its own test before and after a restart, and hears the end of what it had begun', async () => {
  using place = createPlace();
  await using model = await startServer(SCRIPT);
  await using serving = await startRestartable(place, model);
  const client = new ChatClient(`${serving.url.replace('http', 'ws')}/ws/chat/klaus`);
  await client.open();
  try {
    await testChatClient(client);
    // Killed in the middle of an answer, with the client none the wiser.
    client.say('slow');
    await client.until('stream_chunk');
    await serving.restart();
    await client.until('stream_complete');
    expect(client.text.endsWith('word '.repeat(100))).toBe(true);
    await testChatClient(client);

    // The run is over before the client is back: it hears the last words and the end, and that once.
    client.say('slow');
    await client.until('stream_chunk');
    client.close();
    await serving.restart();
    const { events } = follow(serving.client(), (await serving.client().sessions()).sessions[0]!.id);
    while (events.filter(({ type }) => type === 'run.finished').length < 4) await setImmediate();
    client.heard = [];
    await client.open();
    await client.until('stream_complete');
    expect(client.text).toBe('word '.repeat(100));
    client.close();
    client.heard = [];
    await client.open();
    await testChatClient(client);
    expect(client.heard.filter(({ type }) => type === 'stream_complete').length).toBe(1);

    // Killed in the middle of an answer without an end, and left once more: it is told the answer from its beginning.
    client.say('endless');
    await client.until('stream_chunk');
    await serving.restart();
    client.heard = [];
    await client.until('stream_chunk', () => client.text.length > 40);
    const { length } = client.text;
    client.close();
    client.heard = [];
    await client.open();
    await client.until('stream_chunk', ({ content }) => String(content).length >= length);
    client.cancel();
    expect((await client.until('error'))['message']).toContain('stopped');
  } finally {
    client.close();
  }
}, 240_000);
