// Covers apps/server/streams: in-flight text of terminal runs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from '@klaus/adapters/store';
import type { Event, Live, Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { runKlaus, startKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { follow, type Followed, rawRequest, startServeProcess, startTestServer } from '../fixtures/server.ts';

const TITLE = { when: { tools: false }, reply: { text: 'A title' } };
const READ = { name: 'read_file', input: { path: 'README.md' } };

/** Some turns, each with a message that comes in many small pieces. */
const slowTurns = (count: number): Script => ({
  steps: [
    TITLE,
    ...Array.from({ length: count }, (_, turn) => ({
      when: { turn },
      pace: 10,
      chunk: 14,
      reply: {
        text: { repeat: `turn ${turn} `, times: 200 },
        ...(turn < count - 1 ? { calls: [READ] } : {}),
      },
    })),
  ],
});

type Delta = Extract<Live, { type: 'message.delta' }>;

function textOf(events: readonly Event[], message: string): string | undefined {
  for (const event of events) {
    if (event.type !== 'message.added' || event.message.id !== message) continue;
    return event.message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  }
  return undefined;
}

async function sessionOf(run: ReturnType<typeof startKlaus>): Promise<string> {
  await run.printed('stdout', '\n');
  return (JSON.parse(run.text.stdout.split('\n')[0]!) as { session: string }).session;
}

/** Resolves with the first piece that fits. */
async function live(followed: Followed, fits: (delta: Delta) => boolean): Promise<Delta> {
  return (await followed.untilLive(
    (each) => each.type === 'message.delta' && each.part === 'text' && fits(each),
  )) as Delta;
}

test('a run of the terminal is followed while it speaks, before its message is durable', async () => {
  using place = createTestHome();
  await using model = await startServer(slowTurns(2));
  const serve = await startServeProcess(place, model);
  const run = startKlaus(['run', '--json', 'go'], { place, server: model });
  const session = await sessionOf(run);
  const followed = follow(serve.client, session);
  const first = await live(followed, () => true);
  expect(textOf(followed.events, first.message)).toBeUndefined();
  await followed.until('run.finished');
  const ended = await run.ended;
  const all = [...followed.lives];
  await followed.stop();
  // A later client receives the message and no in-flight text.
  const later = follow(serve.client, session);
  await later.until('run.finished');
  await later.stop();
  serve.process.kill('SIGTERM');
  await serve.process.ended;
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
  expect(later.lives).toEqual([]);
  const deltas = all.filter((each): each is Delta => each.type === 'message.delta' && each.part === 'text');
  expect(deltas.length).toBeGreaterThan(5);
  for (const { message, offset, text } of deltas) {
    const said = textOf(followed.events, message);
    expect(said?.slice(offset, offset + text.length)).toBe(text);
  }
});

test(
  'a server that is killed and begun again in the middle does not hurt the run, and is found again',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using model = await startServer(slowTurns(8));
    let serve = await startServeProcess(place, model);
    const run = startKlaus(['run', '--json', 'go'], { place, server: model, env: { AGENT_TOKEN_BUDGET: '0' } });
    const session = await sessionOf(run);
    const before = follow(serve.client, session);
    const { message } = await live(before, () => true);
    serve.process.kill('SIGKILL');
    await serve.process.ended;
    await before.stop();
    serve = await startServeProcess(place, model);
    const after = follow(serve.client, session);
    await live(after, (delta) => delta.message !== message);
    await after.until('run.finished');
    await after.stop();
    const ended = await run.ended;
    serve.process.kill('SIGTERM');
    await serve.process.ended;
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    expect(toEvents(ended.stdout).slice(0, after.events.length)).toEqual(after.events);
  },
);

test(
  'without a server the run makes no connection but to the model, and beside a dead socket it runs on',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using model = await startServer(slowTurns(2));
    const list = join(place.home, '..', 'connections');
    const hook = join(place.home, '..', 'hook.cjs');
    writeFileSync(
      hook,
      `const { Socket } = require('node:net');
const { appendFileSync } = require('node:fs');
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...words) {
  const [given] = Array.isArray(words[0]) ? words[0] : words;
  appendFileSync(${JSON.stringify(list)}, \`\${given.path ?? given.port}\\n\`);
  return connect.apply(this, words);
};\n`,
    );
    const options = { place, server: model, env: { NODE_OPTIONS: `--require ${hook}` } };
    const connections = (): string[] => [...new Set(readFileSync(list, 'utf8').trim().split('\n'))];
    expect((await runKlaus(['run', 'go'], options)).code).toBe(0);
    expect(connections()).toEqual([new URL(model.url).port]);

    const serve = await startServeProcess(place, model);
    serve.process.kill('SIGKILL');
    await serve.process.ended;
    const ended = await runKlaus(['run', '--json', 'go'], options);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    // The look for one is what the test above would miss.
    expect(connections()).toContain(join(place.home, 'server', 'klaus.sock'));
  },
);

test('accepts in-flight text only over the Unix socket, from the process that holds the session, and not after its event', async () => {
  await using it = await startTestServer();
  const { session } = await it.client.openSession({ body: {} });
  using store = createSqliteStore({ home: it.klaus.home });
  const path = `/api/sessions/${session}/live`;
  const headers = { 'content-type': 'application/json' };
  const piece = (text: string): Live => ({
    type: 'message.delta',
    session,
    message: 'm',
    part: 'text',
    offset: 0,
    text,
  });
  const send = async (body: object) => {
    const { status, body: text } = await rawRequest(
      { socket: it.server.socket! },
      { method: 'POST', path, headers, body: JSON.stringify(body) },
    );
    return { status, taken: (JSON.parse(text) as { taken?: boolean }).taken };
  };
  const seen: Live[] = [];
  (await it.klaus.session(session)).onLive((each) => seen.push(each));
  const fence = await store.fenceOf(session);
  // No process holds it.
  expect(await send({ fence, seq: 1, pieces: [piece('a')] })).toEqual({ status: 200, taken: false });
  // As another process would: the lock is the same for every holder.
  const lease = (await store.claim(session))!;
  expect(await send({ fence, seq: 1, pieces: [piece('b')] })).toEqual({ status: 200, taken: false });
  expect(await send({ fence: lease.fence, seq: 1, pieces: [piece('c')] })).toEqual({ status: 200, taken: true });
  const other = { ...piece('d'), session: 'another' };
  expect(await send({ fence: lease.fence, seq: 1, pieces: [other] })).toEqual({ status: 200, taken: true });
  // The end of the turn is in the log, and the process that sends does not know it yet.
  const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  await store.append(session, [{ type: 'turn.finished', run, turn: 1, stopReason: 'end_turn', at: 1 }], { lease });
  expect(await send({ fence: lease.fence, seq: 1, pieces: [piece('e')] })).toEqual({ status: 200, taken: true });
  const overTcp = await rawRequest(it.server, {
    method: 'POST',
    path,
    headers: { ...headers, authorization: `Bearer ${it.server.token}` },
    body: JSON.stringify({ fence: lease.fence, seq: 1, pieces: [piece('f')] }),
  });
  await lease.release();
  expect(overTcp.status).toBe(403);
  expect(seen).toEqual([piece('c')]);
});
