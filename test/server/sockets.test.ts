// Covers apps/server/sockets: Socket.IO and the WebSocket chat.
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { startServeProcess, startTestServer, untilListed } from '../fixtures/server.ts';

const TITLE = { when: { tools: false }, reply: { text: 'A title' } };
const SCRIPT = {
  steps: [
    TITLE,
    {
      when: { turn: 0 },
      reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
    },
    { when: { turn: 1 }, reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'x\n' } }] } },
    { when: { turn: 2 }, reply: { text: 'Done.' } },
  ],
};

interface Received {
  name: string;
  data: Record<string, unknown>;
}

/** A client as the older protocol knows it: it listens to names and sends names. */
function listen(socket: Socket): { received: Received[]; until: (name: string) => Promise<Record<string, unknown>> } {
  const received: Received[] = [];
  const watchers = new Set<() => void>();
  socket.onAny((name: string, data: Record<string, unknown>) => {
    received.push({ name, data });
    for (const watcher of watchers) watcher();
  });
  return {
    received,
    until: (name) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = received.find((event) => event.name === name);
          if (!found) return;
          watchers.delete(look);
          resolve(found.data);
        };
        watchers.add(look);
        look();
      }),
  };
}

test('Socket.IO speaks the older protocol in both directions', async () => {
  await using it = await startTestServer({ script: SCRIPT, settings: { approve: 'ask' } });
  const socket = io(it.server.url, { extraHeaders: { authorization: `Bearer ${it.server.token}` } });
  const { received, until } = listen(socket);
  socket.emit('prompt', { message: 'go' });
  const { patchId, ...asked } = await until('patch_approval_required');
  expect(asked).toMatchObject({ filePath: 'new.txt', operation: 'create', diff: expect.stringContaining('+x') });
  expect(existsSync(join(it.place.workspace, 'new.txt'))).toBe(false);
  socket.emit('patch_approval_response', { patchId, approved: true });
  const complete = await until('complete');
  expect(existsSync(join(it.place.workspace, 'new.txt'))).toBe(true);
  const { id } = (await it.client.sessions()).sessions[0]!;
  expect(complete).toMatchObject({
    sessionId: id,
    summary: expect.any(String),
    tokenUsage: { totalTokens: expect.any(Number) },
  });
  const names = received.map(({ name }) => name);
  expect(names.filter((name) => name !== 'stream_delta')).toEqual([
    'thinking',
    'tool_call',
    'turn_complete',
    'tool_result',
    'thinking',
    'tool_call',
    'turn_complete',
    'patch_approval_required',
    'tool_result',
    'thinking',
    'turn_complete',
    'complete',
  ]);
  const text = received.flatMap(({ name, data }) => (name === 'stream_delta' ? [data['delta']] : [])).join('');
  expect(text).toBe('I look.Done.');
  expect(received.find(({ name }) => name === 'tool_call')?.data).toMatchObject({
    name: 'read_file',
    input: { path: 'README.md' },
    id: expect.any(String),
  });
  expect(received.find(({ name }) => name === 'tool_result')?.data).toMatchObject({
    toolCallId: expect.any(String),
    success: true,
    durationMs: expect.any(Number),
  });
  const wrong = (await socket.emitWithAck('join_session', { sessionId: 'nothing' })) as object;
  expect(wrong).toMatchObject({ ok: false, code: 'usage' });
  socket.disconnect();
});

test('a socket without the token, or of a foreign page, is refused', async () => {
  await using it = await startTestServer();
  const refused = async (headers: Record<string, string>, transports: ['polling'] | ['websocket']): Promise<void> => {
    const socket = io(it.server.url, { extraHeaders: headers, transports, reconnection: false, forceNew: true });
    const [error] = (await new Promise<unknown[]>((resolve) =>
      socket.once('connect_error', (...given) => resolve(given)),
    )) as [Error];
    expect(error).toBeInstanceOf(Error);
    socket.close();
  };
  const token = { authorization: `Bearer ${it.server.token}` };
  for (const transports of [['polling'], ['websocket']] as (['polling'] | ['websocket'])[]) {
    await refused({}, transports);
    await refused({ ...token, origin: 'https://evil.example' }, transports);
  }
  const chat = new WebSocket(`${it.server.url}/ws/chat/klaus`);
  const [error] = (await once(chat, 'error')) as [Error];
  expect(error.message).toContain('401');
});

test('AGENT_WS_RATE_LIMIT stops a socket that sends too much, and never an approval or a stop', async () => {
  await using it = await startTestServer({
    script: SCRIPT,
    settings: { approve: 'ask' },
    env: { AGENT_WS_RATE_LIMIT: '3' },
  });
  const socket = io(it.server.url, { extraHeaders: { authorization: `Bearer ${it.server.token}` } });
  const { until } = listen(socket);
  socket.emit('prompt', { message: 'go' });
  const { patchId, sessionId } = await until('patch_approval_required');
  const join = () => socket.emitWithAck('join_session', { sessionId }) as Promise<{ ok: boolean; error?: string }>;
  expect([await join(), await join(), await join()].map(({ ok }) => ok)).toEqual([true, true, false]);
  expect((await join()).error).toContain('AGENT_WS_RATE_LIMIT');
  const answered = (await socket.emitWithAck('patch_approval_response', { patchId, approved: false })) as object;
  expect(answered).toMatchObject({ ok: true });
  expect(await socket.emitWithAck('cancel', { sessionId })).toMatchObject({ ok: true });
  socket.disconnect();
});

test('each of the older protocols reports a run that cannot start', async () => {
  const slow = { when: { user: 'slow' }, pace: 20, reply: { text: { repeat: 'on ', times: 10_000 } } };
  await using it = await startTestServer({
    script: { steps: [TITLE, slow, { reply: { text: 'Done.' } }] },
    env: { AGENT_MAX_CONCURRENT_SESSIONS: '1' },
  });
  const headers = { authorization: `Bearer ${it.server.token}` };
  const socket = io(it.server.url, { extraHeaders: headers });
  const { until } = listen(socket);
  const first = (await socket.emitWithAck('prompt', { message: 'slow' })) as { sessionId: string };
  await until('stream_delta');
  // They wait for its end while a file of the workspace becomes invalid.
  const waiting = (await socket.emitWithAck('prompt', { message: 'hello' })) as { sessionId: string };
  const chat = new WebSocket(`${it.server.url}/ws/chat/klaus`, { headers });
  const heard = new Promise((resolve) => {
    chat.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as { type: string };
      if (message.type === 'error') resolve(message);
    });
  });
  await once(chat, 'open');
  chat.send(JSON.stringify({ type: 'message', content: 'hello' }));
  const posted = await fetch(`${it.server.url}/api/prompt`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'hello' }),
  });
  await untilListed(it.client, (all) => all.filter(({ state }) => state === 'queued').length === 3 || undefined);
  mkdirSync(join(it.place.workspace, '.klaus'));
  writeFileSync(join(it.place.workspace, '.klaus/policy.yaml'), 'rules: [[[');
  const received = new Promise((resolve) => {
    socket.on('error', (data: { sessionId: string }) => data.sessionId === waiting.sessionId && resolve(data));
  });
  socket.emit('cancel', first);
  expect(await received).toMatchObject({ code: 'config', error: expect.stringContaining('policy.yaml') });
  expect(await heard).toMatchObject({ message: expect.stringContaining('policy.yaml') });
  // The stream ends with it.
  expect(await posted.text()).toMatch(/event: error\ndata: .*policy\.yaml.*\n\n$/);
  // A later client receives it too.
  socket.emit('leave_session', waiting);
  const later = new Promise((resolve) => socket.once('error', resolve));
  socket.emit('join_session', waiting);
  expect(await later).toMatchObject({ sessionId: waiting.sessionId, code: 'config' });
  chat.close();
  socket.disconnect();
});

test(
  'clients of both older protocols live through a restart of the server without knowing it',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using model = await startServer({
      steps: [
        TITLE,
        {
          when: { turn: 0 },
          delay: 50,
          reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'x\n' } }] },
        },
        { when: { turn: 1 }, reply: { text: 'Done.' } },
        { when: { turn: 2 }, reply: { text: 'Done.' } },
      ],
    });
    const words = ['--approve', 'ask'];
    const serve = await startServeProcess(place, model, { words });
    const { port } = new URL(serve.url);
    const headers = { authorization: 'Bearer a-secret-of-the-test' };
    const socket = io(serve.url, { extraHeaders: headers, reconnectionDelay: 20, reconnectionDelayMax: 50 });
    const known: { session?: unknown } = {};
    // What a client of that protocol does whenever it is connected.
    socket.on(
      'connect',
      () => void (known.session !== undefined && socket.emit('join_session', { sessionId: known.session })),
    );
    const first = listen(socket);
    socket.emit('prompt', { message: 'go' });
    const session = (await first.until('patch_approval_required'))['sessionId'];
    known.session = session;
    serve.process.kill('SIGKILL');
    await serve.process.ended;
    first.received.length = 0;

    const next = await startServeProcess(place, model, { words: [...words, '--port', port] });
    const { patchId } = await first.until('patch_approval_required');
    socket.emit('patch_approval_response', { patchId, approved: true });
    expect(await first.until('complete')).toMatchObject({ sessionId: session });
    expect(existsSync(join(place.workspace, 'new.txt'))).toBe(true);
    socket.disconnect();

    const chat = async (url: string, content: string): Promise<Record<string, unknown>[]> => {
      const client = new WebSocket(`${url}/ws/chat/klaus`, { headers });
      const messages: Record<string, unknown>[] = [];
      const done = new Promise<void>((resolve) => {
        client.on('message', (data: Buffer) => {
          const message = JSON.parse(data.toString('utf8')) as Record<string, unknown>;
          messages.push(message);
          if (message['type'] === 'stream_complete') resolve();
          if (message['approval'] !== undefined)
            client.send(JSON.stringify({ type: 'approval', id: message['approval'], approved: true }));
        });
      });
      await once(client, 'open');
      client.send(JSON.stringify({ type: 'message', content }));
      await done;
      client.close();
      return messages;
    };
    const said = await chat(next.url, 'hello');
    expect(said.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['info', 'tool_call', 'tool_result', 'stream_chunk']),
    );
    expect(said.find(({ type }) => type === 'tool_call')).toMatchObject({
      tool: 'write_file',
      args: { path: 'new.txt' },
    });
    next.process.kill('SIGKILL');
    await next.process.ended;
    const last = await startServeProcess(place, model, { words });
    const more = await chat(last.url, 'and again');
    expect(
      more
        .filter(({ type }) => type === 'stream_chunk')
        .map(({ content }) => content)
        .join(''),
    ).toBe('Done.');
    const { sessions } = await last.client.sessions();
    // The chat continued in its session.
    expect(sessions).toHaveLength(2);
    last.process.kill('SIGTERM');
    expect((await last.process.ended).code).toBe(0);
  },
);
