// Covers apps/server/legacy: payloads of the older protocols.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { toExpected, toResult, type Truth } from '../fixtures/named-values.ts';
import { follow, startTestServer, type TestServer, type TestServerOptions } from '../fixtures/server.ts';

type Data = Record<string, unknown>;
interface Received {
  name: string;
  data: Data;
}

const usage = { input: 11, output: 5, cacheRead: 700, cacheWrite: 30 };
const TITLE = { when: { tools: false }, reply: { text: 'A title\nWhat was done.', usage } };
const LONG = 'It is as it was said. '.repeat(20);

/** A client over Socket.IO that stores every event. */
function connect({ server }: TestServer) {
  const socket = io(server.url, { extraHeaders: { authorization: `Bearer ${server.token}` } });
  const received: Received[] = [];
  const watchers = new Set<() => void>();
  socket.onAny((name: string, data: Data) => {
    received.push({ name, data });
    for (const watcher of watchers) watcher();
  });
  return {
    socket,
    received,
    names: () => received.map(({ name }) => name),
    until: (name: string, fits: (data: Data) => boolean = () => true): Promise<Data> =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = received.find((event) => event.name === name && fits(event.data));
          if (!found) return;
          watchers.delete(look);
          resolve(found.data);
        };
        watchers.add(look);
        look();
      }),
    [Symbol.dispose]: () => void socket.disconnect(),
  };
}

/** Sends a prompt over HTTP and takes what is streamed until the end. */
async function post({ server }: TestServer, body: object): Promise<Received[]> {
  const response = await fetch(`${server.url}/api/prompt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const frames = (await response.text()).matchAll(/^event: (.*)\ndata: (.*)$/gm);
  return [...frames].map(([, name, data]) => ({ name: name!, data: JSON.parse(data!) as Data }));
}

async function readTruth({ client, klaus }: TestServer, id: string): Promise<Truth> {
  return {
    log: await Array.fromAsync((await klaus.session(id)).events()),
    row: await client.session({ params: { id } }),
  };
}

/** Each durable event has the values of the log. Returns how many there were. */
async function checkValues(it: TestServer, received: readonly Received[]): Promise<number> {
  const truths = new Map<string, Truth>();
  let checked = 0;
  for (const { name, data } of received) {
    const id = String(data['sessionId']);
    if (!truths.has(id)) truths.set(id, await readTruth(it, id));
    // The sums of a session change with its next prompt: they are compared at once.
    const expected = name === 'complete' ? undefined : toExpected(name, data, truths.get(id)!);
    if (!expected) continue;
    expect(data, name).toEqual(expected);
    checked += 1;
  }
  return checked;
}

const READS: TestServerOptions = {
  script: {
    steps: [
      TITLE,
      {
        when: { after: 'read_file' },
        reply: { text: LONG, usage: { input: 3, output: 50, cacheRead: 2_000, cacheWrite: 9 } },
      },
      {
        when: { user: 'read' },
        reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }], usage },
      },
    ],
  },
};

test('complete is the AgentRunResult of the run, with the tokens and the cost of the session, over both doors', async () => {
  await using it = await startTestServer(READS);
  using named = connect(it);
  named.socket.emit('prompt', { message: 'read' });
  const { seq, ...first } = await named.until('complete');
  const id = String(first['sessionId']);
  const truth = await readTruth(it, id);
  expect(first).toEqual(toResult(truth));
  expect(first).toMatchObject({ summary: 'What was done.', toolCallsCount: 1, success: true });
  // Two turns and the title.
  expect(first['tokenUsage']).toMatchObject({ inputTokens: 741 + 2_012 + 741, outputTokens: 60, totalTokens: 3_554 });
  expect(seq).toBe(truth.log.at(-1)!.seq);

  // A second prompt in the same session, over the other door: the sums are of the session, the counts of the run.
  const received = await post(it, { message: 'read', sessionId: id });
  const { name, data } = received.at(-1)!;
  const after = await readTruth(it, id);
  expect({ name, data }).toEqual({ name: 'complete', data: toResult(after) });
  expect(received.filter((each) => each.name === 'complete')).toHaveLength(1);
  expect(data).toMatchObject({ toolCallsCount: 1, turns: 2 });
  expect(after.row.usd).toBeGreaterThan(truth.row.usd!);
  const { tokenUsage } = data as { tokenUsage: { inputTokens: number; cost: number } };
  expect(tokenUsage.inputTokens).toBe(2 * (741 + 2_012 + 741));
  expect(tokenUsage.cost).toBe(after.row.usd);
  // The same end by the socket that still follows.
  expect(await named.until('complete', (each) => each['seq'] !== seq)).toEqual({
    ...data,
    seq: after.log.at(-1)!.seq,
  });
  expect(await checkValues(it, named.received)).toBeGreaterThan(10);
});

test('inputTokens and token_usage.input_tokens include cached tokens', async () => {
  await using it = await startTestServer(READS);
  const received = await post(it, { message: 'read' });
  const turns = received.filter(({ name }) => name === 'turn_complete').map(({ data }) => data);
  expect(turns).toEqual([
    expect.objectContaining({ inputTokens: 741, outputTokens: 5, cacheReadTokens: 700, cacheWriteTokens: 30 }),
    expect.objectContaining({ inputTokens: 2_012, outputTokens: 50, cacheReadTokens: 2_000, cacheWriteTokens: 9 }),
  ]);
  const database = new DatabaseSync(join(it.place.home, 'klaus.db'), { readOnly: true });
  const sums = database
    .prepare(
      `SELECT session_id, SUM(input_tokens) AS input, SUM(output_tokens) AS output, SUM(cache_read_tokens) AS cached
        FROM token_usage GROUP BY session_id`,
    )
    .all();
  database.close();
  const { sessionId, tokenUsage } = received.at(-1)!.data as { sessionId: string; tokenUsage: Data };
  expect(sums.map((row) => ({ ...row }))).toEqual([
    { session_id: sessionId, input: tokenUsage['inputTokens'], output: 60, cached: 3_400 },
  ]);
  // The API and `klaus usage` still separate the classes.
  const { tokens } = await it.client.session({ params: { id: sessionId } });
  expect(tokens).toEqual({ input: 25, output: 60, cacheRead: 3_400, cacheWrite: 69 });
});

test('a rejected patch after which the model answered ends in complete', async () => {
  const write = { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'x\n' } }] };
  await using it = await startTestServer({
    script: {
      steps: [
        TITLE,
        { when: { turn: 0 }, reply: write },
        { when: { turn: 1 }, reply: { text: 'Then I leave it.', usage } },
      ],
    },
    settings: { approve: 'ask' },
  });
  using named = connect(it);
  named.socket.emit('prompt', { message: 'write' });
  const { patchId } = await named.until('patch_approval_required');
  named.socket.emit('patch_approval_response', { patchId, approved: false });
  const { seq: _, ...complete } = await named.until('complete');
  expect(existsSync(join(it.place.workspace, 'new.txt'))).toBe(false);
  expect(complete).toEqual(toResult(await readTruth(it, String(complete['sessionId']))));
  expect(complete).toMatchObject({ success: false, outcome: 'denied', summary: 'Then I leave it.' });
  expect(named.names()).not.toContain('error');
  expect(await checkValues(it, named.received)).toBeGreaterThan(5);
});

test(
  'a question about a command has a name of its own, and the answer of every other',
  { tags: ['long'] },
  async () => {
    await using it = await startTestServer({
      script: {
        steps: [
          TITLE,
          {
            when: { turn: 0 },
            reply: { calls: [{ name: 'run_command', input: { command: 'echo said > file.txt' } }] },
          },
          { when: { turn: 1 }, reply: { text: 'Done.', usage } },
        ],
      },
      settings: { approve: 'ask' },
    });
    const chat = new WebSocket(`${it.server.url.replace('http', 'ws')}/ws/chat/klaus`, {
      headers: { authorization: `Bearer ${it.server.token}` },
    });
    const ended = new Promise((resolve) => {
      chat.on('message', (data: Buffer) => {
        const message = JSON.parse(data.toString('utf8')) as Data;
        if (message['approval'] !== undefined) {
          expect(message).toMatchObject({ type: 'info', diff: '' });
          chat.send(JSON.stringify({ type: 'approval', id: message['approval'], approved: true }));
        } else if (message['type'] === 'stream_complete') resolve(message);
      });
    });
    await once(chat, 'open');
    chat.send(JSON.stringify({ type: 'message', content: 'by the chat' }));
    expect(await ended).toEqual({ type: 'stream_complete' });
    chat.close();

    using named = connect(it);
    named.socket.emit('prompt', { message: 'by name' });
    const asked = await named.until('approval_required');
    expect(asked).toMatchObject({ kind: 'command', tool: 'run_command', command: 'echo said > file.txt' });
    named.socket.emit('patch_approval_response', { patchId: asked['patchId'], approved: true });
    expect(await named.until('complete')).toMatchObject({ success: true });
    expect(named.names()).not.toContain('patch_approval_required');
    expect(await checkValues(it, named.received)).toBeGreaterThan(5);
  },
);

test('an exceeded budget is said when it is reached, and its question is no patch', async () => {
  await using it = await startTestServer({
    script: {
      steps: [
        TITLE,
        {
          when: { turn: 0 },
          reply: {
            calls: [{ name: 'read_file', input: { path: 'README.md' } }],
            usage: { input: 99_000, output: 1, cacheRead: 0, cacheWrite: 0 },
          },
        },
        { reply: { text: 'never' } },
      ],
    },
    settings: { 'limits.tokens': 100_000 },
  });
  using named = connect(it);
  named.socket.emit('prompt', { message: 'spend' });
  const exceeded = await named.until('budget_exceeded');
  expect(exceeded).toMatchObject({ totalTokens: 99_001, limit: 100_000 });
  const { patchId } = await named.until('approval_required');
  expect(named.names()).not.toContain('complete');
  expect(named.names()).not.toContain('patch_approval_required');
  named.socket.emit('patch_approval_response', { patchId, approved: false });
  const { seq: _, ...complete } = await named.until('complete');
  expect(complete).toEqual(toResult(await readTruth(it, String(complete['sessionId']))));
  expect(complete).toMatchObject({ success: false, outcome: 'limit' });
  expect(named.names().filter((name) => name === 'budget_exceeded')).toHaveLength(1);
  expect(await checkValues(it, named.received)).toBeGreaterThan(5);
  // Without an approver, it is sent at the end of the run.
  const alone = await startTestServer({
    script: { steps: [TITLE, { reply: { text: 'never' } }] },
    settings: { 'limits.tokens': 1, onAsk: 'deny' },
  });
  const received = await post(alone, { message: 'spend' });
  expect(received.map(({ name }) => name)).toEqual(['budget_exceeded', 'complete']);
  expect(received.at(-1)!.data).toEqual(toResult(await readTruth(alone, String(received[0]!.data['sessionId']))));
  await alone[Symbol.asyncDispose]();
});

test('a run that the model did not end by an answer ends in error', async () => {
  await using it = await startTestServer({
    script: { steps: [TITLE, { reply: { text: 'I will not.', stop: 'refusal' } }] },
  });
  const received = await post(it, { message: 'go' });
  expect(received.at(-1)).toMatchObject({ name: 'error', data: { outcome: 'failed' } });
  expect(received.map(({ name }) => name)).not.toContain('complete');
});

test('complete does not wait for a summary that does not come', async () => {
  const steps = [
    { when: { tools: false }, faults: [{ kind: 'status' as const, status: 529, always: true }], reply: { text: 'no' } },
    { reply: { text: LONG } },
  ];
  await using it = await startTestServer({ script: { steps } });
  const received = await post(it, { message: 'go' });
  const log = await Array.fromAsync(it.klaus.handle(String(received.at(-1)!.data['sessionId'])).events());
  expect(received.at(-1)).toMatchObject({
    name: 'complete',
    data: { summary: `${LONG.slice(0, 279)}…`, success: true },
  });
  expect(log.some((event) => event.type === 'model.attempted' && event.purpose === 'title')).toBe(true);
});

test(
  'a client that joins before the summary receives the end once, and the next prompt does not receive it',
  { tags: ['long'] },
  async () => {
    const steps = [
      { when: { tools: false }, pace: 300, reply: { text: 'A title\nWhat was done.' } },
      { when: { user: 'again' }, reply: { text: 'Again.' } },
      { reply: { text: LONG } },
    ];
    await using it = await startTestServer({ script: { steps } });
    const { session } = await it.client.openSession({ body: { text: 'go' } });
    const followed = follow(it.client, session);
    await followed.until('run.finished');
    using named = connect(it);
    await named.socket.emitWithAck('join_session', { sessionId: session });
    expect((await named.until('complete'))['summary']).toBe('What was done.');
    expect(named.names().filter((name) => name === 'complete')).toHaveLength(1);
    await followed.stop();

    const other = (await it.client.openSession({ body: { text: 'go' } })).session;
    const second = follow(it.client, other);
    await second.until('run.finished');
    const received = await post(it, { message: 'again', sessionId: other });
    expect(received.filter(({ name }) => name === 'complete').map(({ data }) => data['summary'])).toEqual(['Again.']);
    await second.stop();
  },
);

test(
  'a command without output is reported as running, with its elapsed time',
  { timeout: 30_000, tags: ['long'] },
  async () => {
    await using it = await startTestServer({
      script: {
        steps: [
          TITLE,
          { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'sleep 5' } }] } },
          { reply: { text: 'Done.' } },
        ],
      },
      settings: { approve: 'auto' },
    });
    const received = await post(it, { message: 'wait' });
    const session = String(received.at(-1)!.data['sessionId']);
    const { log } = await readTruth(it, session);
    const call = log.find((event) => event.type === 'tool.started')!;
    const end = log.find((event) => event.type === 'tool.finished')!;
    const progress = received.filter(({ name }) => name === 'tool_progress').map(({ data }) => data);
    // At least every 2 s, of 5.
    expect(end.at - call.at).toBeGreaterThanOrEqual(5_000);
    expect(progress.length).toBeGreaterThanOrEqual(Math.floor((end.at - call.at) / 2_000));
    let last = 0;
    for (const { elapsedMs, ...rest } of progress) {
      expect(rest).toEqual({
        toolCallId: (call as { call: string }).call,
        progress: '',
        status: 'running',
        sessionId: session,
      });
      expect(elapsedMs).toBeGreaterThan(last);
      last = elapsedMs as number;
    }
    expect(last).toBeLessThanOrEqual(end.at - call.at);
    const names = received.map(({ name }) => name);
    expect(names.lastIndexOf('tool_progress')).toBeLessThan(names.indexOf('tool_result'));
  },
);
