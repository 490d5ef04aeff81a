// Covers apps/server/legacy, apps/server/sockets: clients of the older protocols.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, Script } from '@klaus/sdk';
import type { Client } from '@klaus/server/client';
import { io, type Socket } from 'socket.io-client';
import { expect } from 'vitest';
import WebSocket from 'ws';
import { startServer } from '../fixtures/klaus.ts';
import { toExpected, toResult, type Truth } from '../fixtures/named-values.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { follow, startServeProcess, type ServeProcess } from '../fixtures/server.ts';

const MODEL = 'anthropic/claude-sonnet-5-5';
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
async function startRestartable(
  place: ReturnType<typeof createTestHome>,
  model: Awaited<ReturnType<typeof startServer>>,
) {
  const words = ['--approve', 'ask'];
  // A command whose changes are asked about works on a layer.
  // Where a person is present, only a chosen limit applies.
  const env = { KLAUS_SANDBOX: 'bubblewrap', AGENT_TOKEN_BUDGET: '100000' };
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

type Received = Record<string, unknown> & { sessionId?: string };

/** The client of the one protocol: it emits five names, listens to eleven, and knows nothing else of the server. */
class NamedClient {
  /** All that it ever heard. */
  readonly heard: [string, Received][] = [];
  readonly #socket: Socket;
  #unread: [string, Received][] = [];
  #look: (() => void) | undefined;
  #session: string | undefined;

  constructor(url: string) {
    this.#socket = io(url, { extraHeaders: HEADERS, reconnectionDelay: 20, reconnectionDelayMax: 50 });
    this.#socket.on('connect', () => {
      if (this.#session !== undefined) this.#socket.emit('join_session', { sessionId: this.#session });
    });
    for (const name of EVENTS) {
      this.#socket.on(name, (data: Received) => {
        this.heard.push([name, data]);
        this.#session = data.sessionId ?? this.#session;
        this.#unread.push([name, data]);
        this.#look?.();
      });
    }
  }

  forget(): void {
    this.#unread = [];
  }

  /** The next event of this name that fits. */
  until(name: string, fits: (data: Received) => boolean = () => true): Promise<Received> {
    return new Promise((resolve) => {
      this.#look = () => {
        const at = this.#unread.findIndex(([it, data]) => it === name && fits(data));
        if (at < 0) return;
        const [, data] = this.#unread[at]!;
        this.#unread = this.#unread.slice(at + 1);
        resolve(data);
      };
      this.#look();
    });
  }

  say(message: string): void {
    this.#unread = [];
    this.#session = undefined;
    this.#socket.emit('prompt', { message });
  }

  answer(patchId: unknown, approved: boolean): void {
    this.#unread = [];
    this.#socket.emit('patch_approval_response', { patchId, approved });
  }

  cancel(): void {
    this.#socket.emit('cancel', { sessionId: this.#session });
  }

  leave(): void {
    this.#socket.emit('leave_session', { sessionId: this.#session });
  }

  join(sessionId: unknown): void {
    this.#unread = [];
    this.#socket.emit('join_session', { sessionId });
  }

  close(): void {
    this.#socket.disconnect();
  }
}

/** The events in its manual. */
const EVENTS = [
  'thinking',
  'stream_delta',
  'tool_call',
  'tool_result',
  'tool_progress',
  'error',
  'turn_complete',
  'budget_warning',
  'budget_exceeded',
  'patch_approval_required',
  'complete',
] as const;

/** Answers a question that the client knows nothing of, as a user of the page does. */
async function answerElsewhere(
  client: Client,
  { kind, session, answer }: { kind: 'call' | 'limit'; session: unknown; answer: 'approved' | 'rejected' },
): Promise<void> {
  const followed = follow(client, String(session));
  const asked = await followed.until('approval.asked', ({ subject }) => subject.kind === kind);
  await followed.stop();
  await client.answer({ params: { id: (asked as { approval: string }).approval }, body: { answer } });
}

/** Every durable event, and the end of each run, has the values of the log. */
async function checkValues(client: Client, heard: NamedClient['heard']): Promise<void> {
  const checked = new Set<string>();
  const truths = new Map<string, Truth>();
  /** Milliseconds last reported for a call, by the seq of its start. */
  const elapsed = new Map<number, number>();
  for (const [name, data] of heard) {
    const id = data.sessionId!;
    if (!truths.has(id)) truths.set(id, await readTruth(client, id));
    const truth = truths.get(id)!;
    // Sent again to a client that joins, without its seq.
    const isOld = name === 'complete' && data['seq'] === undefined;
    const expected = isOld ? toResult(truth) : toExpected(name, data, truth);
    if (expected) {
      expect(data, name).toEqual(expected);
      checked.add(name);
    } else if (name === 'tool_progress') {
      const started = truth.log.find((event) => event.type === 'tool.started' && event.call === data['toolCallId'])!;
      expect(data).toMatchObject({ status: 'running', progress: expect.stringMatching(/^(step \d\n)*$/) });
      // A busy machine sends progress some milliseconds after the call finished: it is no longer than until now.
      expect(data['elapsedMs']).toBeGreaterThanOrEqual(elapsed.get(started.seq) ?? 0);
      expect(data['elapsedMs']).toBeLessThanOrEqual(Date.now() - started.at);
      elapsed.set(started.seq, Number(data['elapsedMs']));
      checked.add(name);
    }
  }
  // What came live is, in the end, what the model said.
  const [[, first]] = heard as [[string, Received]];
  const deltas = heard.filter(([name, { sessionId }]) => name === 'stream_delta' && sessionId === first.sessionId);
  expect(deltas.map(([, data]) => data['delta']).join('')).toBe('I look.Read.');
  expect([...checked, 'stream_delta'].toSorted()).toEqual([...EVENTS].toSorted());
}

async function readTruth(client: Client, id: string): Promise<Truth> {
  const row = await client.session({ params: { id } });
  const { events } = await client.log({ params: { id }, query: { limit: 5_000 } });
  return { row, log: events as Event[] };
}

const lengthOf = ({ delta }: Received): number => String(delta).length;

interface Around {
  /** The workspace. */
  folder: string;
  api: () => Client;
  pause: () => Promise<void>;
}

/** The client's own test: every name that it sends, and every one that it hears. `pause` comes in the middle of things. */
async function testNamedClient(client: NamedClient, { folder, api, pause }: Around): Promise<void> {
  client.say('read');
  const first = await client.until('complete');
  expect(first).toMatchObject({ summary: 'Read.', toolCallsCount: 1, success: true, model: MODEL });

  for (const [prompt, approved] of [
    ['write one', true],
    ['write two', false],
  ] as const) {
    client.say(prompt);
    const asked = await client.until('patch_approval_required');
    expect(asked).toMatchObject({ operation: 'create', diff: expect.stringContaining('+x') });
    await pause();
    client.answer(asked['patchId'], approved);
    expect(await client.until('complete')).toMatchObject({ success: approved });
    expect(existsSync(join(folder, String(asked['filePath'])))).toBe(approved);
  }

  client.say('build');
  // Its manual knows no question but one about a patch.
  const { sessionId: built } = await client.until('thinking');
  await answerElsewhere(api(), { kind: 'call', session: built, answer: 'approved' });
  await client.until('tool_progress', ({ progress }) => String(progress).includes('step 1'));
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
  // A client that joins during an answer receives it from its start.
  client.leave();
  client.join(sessionId);
  await client.until('stream_delta', (delta) => lengthOf(delta) >= heard);
  await client.until('stream_delta');
  client.cancel();
  expect(await client.until('error')).toMatchObject({ sessionId, outcome: 'cancelled' });

  client.say('spend');
  client.answer((await client.until('patch_approval_required'))['patchId'], true);
  // At the limit an approval is needed to spend more.
  const exceeded = await client.until('budget_exceeded');
  expect(exceeded).toMatchObject({ totalTokens: 90_100, limit: 100_000 });
  await answerElsewhere(api(), { kind: 'limit', session: exceeded.sessionId, answer: 'rejected' });
  expect(await client.until('complete')).toMatchObject({ success: false });

  // A client that left receives nothing; one that joins receives the present state.
  client.leave();
  client.join(first.sessionId);
  const { seq: _, ...known } = first;
  expect(await client.until('complete')).toEqual(known);
}

test('a client of the events with names passes its own test, over a server that is killed and comes back', async () => {
  using place = createTestHome();
  await using model = await startServer(SCRIPT);
  await using serving = await startRestartable(place, model);
  const client = new NamedClient(serving.url);
  try {
    const pause = () => serving.restart();
    await testNamedClient(client, { folder: place.workspace, api: serving.client, pause });
    await checkValues(serving.client(), client.heard);
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

test(
  'a client of the chat passes its own test before and after a restart, and hears the end of what it had begun',
  { timeout: 240_000, tags: ['long'] },
  async () => {
    using place = createTestHome();
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
      const followed = follow(serving.client(), (await serving.client().sessions()).sessions[0]!.id);
      const isEnd = ({ type }: Event): boolean => type === 'run.finished';
      await followed.until('run.finished', () => followed.events.filter(isEnd).length === 4);
      await followed.stop();
      client.heard = [];
      await client.open();
      await client.until('stream_complete');
      expect(client.text).toBe('word '.repeat(100));
      client.close();
      client.heard = [];
      await client.open();
      await testChatClient(client);
      expect(client.heard.filter(({ type }) => type === 'stream_complete').length).toBe(1);

      // After a kill and a disconnect during an answer, the client receives the answer from its start.
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
  },
);
