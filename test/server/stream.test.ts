// Covers apps/server/streams, apps/server/client: event streams lose and repeat nothing.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Event, type EventOf, eventSchema } from '@klaus/sdk';
import { createClient, followHost } from '@klaus/server/client';
import type { SessionView } from '@klaus/server/contract';
import { expect, test } from 'vitest';
import { runKlaus, startKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { startProxy } from '../fixtures/proxy.ts';
import { follow, rawRequest, startServeProcess, startTestServer } from '../fixtures/server.ts';

const TITLE = { when: { tools: false }, reply: { text: 'A title' } };

/** A message that comes in many small pieces, slowly enough to be watched. */
const SLOW = { steps: [TITLE, { reply: { text: { repeat: 'word ', times: 200 } }, pace: 5, chunk: 20 }] };

/** Reads a file some times, one call a turn. @param delay Milliseconds before each answer. */
const turns = (count: number, delay = 0) => ({
  steps: [
    TITLE,
    ...Array.from({ length: count }, (_, turn) => ({
      when: { turn },
      delay,
      reply: { text: `Step ${turn}.`, calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
    })),
    { when: { turn: count }, reply: { text: 'Done.' } },
  ],
});

/** A hundred events and no gap, each as the schema says. */
function expectComplete(events: readonly Event[], all: Iterable<Event>): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expect(events).toEqual([...all]);
  for (const event of events) expect(eventSchema.parse(event)).toEqual(event);
}

test('a client whose connection breaks again and again misses nothing and sees nothing twice', async () => {
  await using it = await startTestServer({ script: turns(12, 250), env: { AGENT_TOKEN_BUDGET: '0' } });
  await using proxy = await startProxy(Number(new URL(it.server.url).port));
  const { session } = await it.client.openSession({ body: { text: 'go' } });
  const followed = follow(createClient({ baseUrl: `http://127.0.0.1:${proxy.port}`, token: it.server.token }), session);
  // A turn takes about as long as it takes to come again.
  for (let turn = 2; turn <= 12; turn++) {
    await followed.until('turn.started', (event) => event.turn >= turn);
    await proxy.drop('reset');
  }
  await followed.until('run.finished');
  await followed.stop();
  expect(followed.states.filter(({ state }) => state === 'waiting').length).toBeGreaterThanOrEqual(5);
  const { lastSeq } = (await it.klaus.store.session(session))!;
  const all = (await Array.fromAsync((await it.klaus.session(session)).events())).slice(0, followed.events.length);
  expectComplete(followed.events, all);
  expect(lastSeq).toBeGreaterThanOrEqual(followed.events.length);
});

test('Last-Event-ID is honoured, and wins over the address', async () => {
  await using it = await startTestServer();
  const { session } = await it.client.openSession({ body: { text: 'go' } });
  const followed = follow(it.client, session);
  await followed.until('run.finished');
  await followed.stop();
  const response = await fetch(`${it.server.url}/api/sessions/${session}/events?after=1`, {
    headers: { authorization: `Bearer ${it.server.token}`, 'last-event-id': '4' },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: ready')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  expect(/^id: (\d+)$/m.exec(text)?.[1]).toBe('5');
});

test('a client that joins during a message receives its start', async () => {
  await using it = await startTestServer({ script: SLOW });
  const { session } = await it.client.openSession({ body: { text: 'go' } });
  // No client follows until a part is sent.
  const [ten, twenty] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let pieces = 0;
  const unlisten = (await it.klaus.session(session)).onLive(() => {
    pieces += 1;
    if (pieces === 10) ten.resolve();
    if (pieces === 20) twenty.resolve();
  });
  await ten.promise;
  const first = follow(it.client, session);
  await twenty.promise;
  unlisten();
  const second = follow(it.client, session);
  await second.until('run.finished');
  await Promise.all([first.stop(), second.stop()]);
  const texts = [first, second].map(({ lives }) => {
    let text = '';
    for (const live of lives) {
      if (live.type !== 'message.delta' || live.part !== 'text') continue;
      // Nothing is missing before a piece.
      expect(live.offset).toBeLessThanOrEqual(text.length);
      text = text.slice(0, live.offset) + live.text;
    }
    return text;
  });
  const message = (await Array.fromAsync((await it.klaus.session(session)).events())).find(
    (event): event is EventOf<'message.added'> => event.type === 'message.added' && event.message.origin === 'model',
  )!;
  const text = 'word '.repeat(200);
  expect(message.message.parts).toEqual([{ type: 'text', text }]);
  expect(texts).toEqual([text, text]);
});

test('the list sends each change of each session', { tags: ['long'] }, async () => {
  await using it = await startTestServer({ script: SLOW, env: { AGENT_MAX_CONCURRENT_SESSIONS: '1' } });
  const { client } = it;
  const seen: SessionView[] = [];
  const removed: string[] = [];
  const quit = new AbortController();
  const watchers = new Set<() => void>();
  const ended = followHost(client, {
    onSnapshot: (sessions) => void seen.push(...sessions),
    onSession(session) {
      seen.push(session);
      for (const watcher of watchers) watcher();
    },
    onRemoved(session) {
      removed.push(session);
      for (const watcher of watchers) watcher();
    },
    signal: quit.signal,
  });
  const until = (fits: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!fits()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  const first = (await client.openSession({ body: { text: 'one' } })).session;
  const second = (await client.openSession({ body: { text: 'two' } })).session;
  const third = (await client.openSession({ body: { text: 'three' } })).session;
  expect((await client.session({ params: { id: third } })).position).toBe(2);
  expect((await client.runs()).queued.map(({ session }) => session)).toEqual([second, third]);
  // Stopping one that waits needs no place.
  await client.cancel({ params: { id: third }, body: {} });
  await until(() => seen.some(({ id, outcome }) => id === third && outcome === 'cancelled'));
  const isSeen = (id: string, state: SessionView['state']) =>
    seen.some((view) => view.id === id && view.state === state);
  await until(() => isSeen(second, 'queued') && isSeen(first, 'done') && isSeen(second, 'done'));
  await until(() => seen.findLast(({ id }) => id === second)?.held === false);
  await client.deleteSession({ params: { id: second } });
  await until(() => removed.includes(second));
  quit.abort();
  await ended;
});

test('SIGKILL of the server during a run: the next server resumes it, and clients reconnect', async () => {
  using place = createTestHome();
  await using model = await startServer({
    ...turns(12),
    steps: turns(12).steps.map((step) => ({ ...step, delay: 20 })),
  });
  const env = { AGENT_TOKEN_BUDGET: '0' };
  const serve = await startServeProcess(place, model, { env });
  const { session } = await serve.client.openSession({ body: { text: 'go' } });
  const followed = follow(serve.client, session);
  await followed.until('turn.started', (event) => event.turn === 4);
  serve.process.kill('SIGKILL');
  await serve.process.ended;
  await followed.stop();
  const seen = followed.events.at(-1)!.seq;

  const next = await startServeProcess(place, model, { env });
  const again = follow(next.client, session, seen);
  const finished = (await again.until('run.finished')) as EventOf<'run.finished'>;
  await again.stop();
  expect(finished.outcome).toBe('done');
  // What a slow machine does after the run, such as a title that came late, may be there too.
  const seqs = [...followed.events, ...again.events].map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  expect(seqs.length).toBeGreaterThanOrEqual(finished.seq);
  next.process.kill('SIGTERM');
  expect((await next.process.ended).code).toBe(0);
});

test(
  'SIGTERM: streams receive the time to reconnect, and the next server resumes the run',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using model = await startServer({
      ...turns(12),
      steps: turns(12).steps.map((step) => ({ ...step, delay: 20 })),
    });
    const env = { AGENT_TOKEN_BUDGET: '0' };
    const serve = await startServeProcess(place, model, { env });
    const { session } = await serve.client.openSession({ body: { text: 'go' } });
    const followed = follow(serve.client, session);
    await followed.until('turn.started', (event) => event.turn === 3);
    const raw = await fetch(`${serve.url}/api/sessions/${session}/events`, {
      headers: { authorization: 'Bearer a-secret-of-the-test' },
    });
    const text = raw.text();
    serve.process.kill('SIGTERM');
    expect((await serve.process.ended).code).toBe(0);
    expect(await text).toMatch(/event: bye\ndata: \{"reason":"[^"]+","retryMs":1000,"after":\d+\}/);
    await followed.stop();
    const log = await runKlaus(['show', '--json', session], { place, server: model });
    const types = log.stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as Event).type]));
    expect(types).not.toContain('run.finished');
    // The step was ended, not cut off: no request was abandoned.
    expect(types.filter((type) => type === 'turn.started').length).toBe(
      types.filter((type) => type === 'turn.finished').length,
    );

    const next = await startServeProcess(place, model, { env });
    const again = follow(next.client, session, 1);
    expect(await again.until('run.finished')).toMatchObject({ outcome: 'done' });
    await again.stop();
    next.process.kill('SIGKILL');
    await next.process.ended;
  },
);

test(
  'a run of the terminal is seen, steered and approved over the server, and left alone by it',
  { tags: ['long'] },
  async () => {
    const script = {
      steps: [
        TITLE,
        { when: { turn: 0 }, delay: 300, reply: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
        {
          when: { turn: 1 },
          delay: 300,
          reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'x' } }] },
        },
        { when: { turn: 2 }, reply: { text: 'Done.' } },
      ],
    };
    using place = createTestHome();
    await using model = await startServer(script);
    const serve = await startServeProcess(place, model);
    const cli = startKlaus(['run', '--json', '--approve', 'ask', '--on-ask', 'wait', 'go'], { place, server: model });
    await cli.printed('stdout', '"turn.started"');
    const [view] = (await serve.client.sessions()).sessions;
    const session = view!.id;
    expect(view).toMatchObject({ state: 'running', held: true });
    expect((await serve.client.runs()).running).toEqual([]);
    const followed = follow(serve.client, session);
    await serve.client.sendPrompt({ params: { id: session }, body: { text: 'and be quick' } });
    const asked = (await followed.until('approval.asked')) as EventOf<'approval.asked'>;
    expect((await cli.ended).code).toBe(8);
    expect(followed.events.some((event) => event.type === 'message.added' && event.message.origin === 'steer')).toBe(
      true,
    );
    await serve.client.answer({ params: { id: asked.approval }, body: { answer: 'approved' } });
    expect(await followed.until('run.finished')).toMatchObject({ outcome: 'done' });
    await followed.stop();
    expect(readFileSync(join(place.workspace, 'new.txt'), 'utf8')).toBe('x');
    serve.process.kill('SIGTERM');
    expect((await serve.process.ended).code).toBe(0);
  },
);

test('POST /api/prompt speaks the names of the older protocol, and leaving it cancels nothing', async () => {
  await using it = await startTestServer({ script: turns(2) });
  const post = (body: object) =>
    fetch(`${it.server.url}/api/prompt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${it.server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const text = await (await post({ message: 'go' })).text();
  const names = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
  expect(names[0]).toBe('thinking');
  expect(names.at(-1)).toBe('complete');
  for (const name of ['stream_delta', 'tool_call', 'tool_result', 'turn_complete']) expect(names).toContain(name);
  const data = [...text.matchAll(/^event: stream_delta\ndata: (.*)$/gm)].map(
    ([, json]) => (JSON.parse(json!) as { delta: string }).delta,
  );
  expect(data.join('')).toBe('Step 0.Step 1.Done.');

  const left = await post({ message: 'again' });
  await left.body!.cancel();
  const [{ id } = { id: '' }] = (await it.client.sessions()).sessions;
  const followed = follow(it.client, id);
  expect(await followed.until('run.finished')).toMatchObject({ outcome: 'done' });
  await followed.stop();
});

test('a server that cannot run a session reports why', async () => {
  await using it = await startTestServer({ env: { KLAUS_SANDBOX: 'host' } });
  const { session } = await it.client.openSession({ body: {} });
  mkdirSync(join(it.place.workspace, '.klaus'), { recursive: true });
  const answer = await rawRequest(it.server, {
    method: 'PATCH',
    path: `/api/sessions/${session}`,
    headers: { authorization: `Bearer ${it.server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-6-luna' }),
  });
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'auth', detail: expect.stringContaining('anthropic') });
});
