// Covers apps/server/handlers, sdk/sessions: routes of sessions.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf } from '@klaus/sdk';
import { isProblemError } from '@klaus/server/client';
import { expect, test } from 'vitest';
import { follow, rawRequest, startTestServer, untilReleased, type TestServer } from '../fixtures/server.ts';

const TITLE = { when: { tools: false }, reply: { text: 'A title' } };

/** Asks for one edit of two separate places, then says that it is done. */
const TWO_HUNKS = {
  steps: [
    TITLE,
    {
      when: { turn: 0 },
      reply: {
        calls: [
          {
            name: 'edit_file',
            input: {
              path: 'list.txt',
              edits: [
                { old: 'one', new: 'ONE' },
                { old: 'twenty', new: 'TWENTY' },
              ],
            },
          },
        ],
      },
    },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
  ],
};

const LINES = ['one', ...Array.from({ length: 18 }, (_, at) => `line ${at}`), 'twenty', ''].join('\n');

async function run({ client }: TestServer, body: Parameters<TestServer['client']['openSession']>[0]) {
  const { session } = await client.openSession(body);
  const followed = follow(client, session);
  await followed.until('run.finished');
  await followed.stop();
  return session;
}

test('a change is approved hunk by hunk, and edited, over HTTP', async () => {
  await using it = await startTestServer({ script: TWO_HUNKS, files: { 'list.txt': LINES } });
  const { client, place, klaus } = it;
  const { session } = await client.openSession({ body: { text: 'shout', mode: 'ask' } });
  const followed = follow(client, session);
  const asked = (await followed.until('approval.asked')) as EventOf<'approval.asked'>;
  expect(await client.session({ params: { id: session } })).toMatchObject({ state: 'needs-you', questions: 1 });
  const question = await client.approval({ params: { id: asked.approval } });
  expect(question.hunks.map(({ id, editable }) => ({ id, editable }))).toEqual([
    { id: 'list.txt#1', editable: true },
    { id: 'list.txt#2', editable: true },
  ]);
  const [, second] = question.hunks;
  const text = second!.lines
    .filter((line) => !line.startsWith('-'))
    .map((line) => line.slice(1).replace('TWENTY', 'Twenty'))
    .join('\n');
  await client.answer({
    params: { id: asked.approval },
    body: {
      answer: 'approved',
      hunks: { accepted: ['list.txt#2'], edited: [{ id: 'list.txt#2', text: `${text}\n` }] },
    },
  });
  await followed.until('run.finished');
  await followed.stop();
  const files = await client.file({ params: { path: 'list.txt' }, query: { session } });
  expect(files.content).toBe(LINES.replace('twenty', 'Twenty'));
  const entries = (await client.files({ query: { session } })).entries;
  expect(entries.find(({ name }) => name === 'list.txt')?.change).toBe('modified');
  const again = await client
    .answer({ params: { id: asked.approval }, body: { answer: 'approved' } })
    .catch((error) => error);
  expect(isProblemError(again) && again.problem.status).toBe(409);
  expect(await klaus.store.lastHostEvent('approval.answered', session)).toMatchObject({ by: 'server' });
  expect((await client.decisions({ params: { id: session } })).decisions.map(({ verdict }) => verdict)).toContain(
    'ask',
  );

  await untilReleased(client, session);
  const undone = await client.undo({ params: { id: session }, body: {} });
  expect(undone).toMatchObject({ done: true, changes: [{ path: 'list.txt' }] });
  expect((await client.file({ params: { path: 'list.txt' }, query: { workspace: place.workspace } })).content).toBe(
    LINES,
  );
  expect((await client.redo({ params: { id: session }, body: {} })).done).toBe(true);
});

test('a session is renamed, pinned, found, exported and deleted, and a delete can be undone', async () => {
  await using it = await startTestServer({
    script: { steps: [TITLE, { reply: { text: 'The zebra sleeps under the bridge.' } }] },
  });
  const { client, klaus } = it;
  const id = await run(it, { body: { text: 'Where is the animal?' } });
  const params = { id };
  await untilReleased(client, id);
  expect(await client.changeSession({ params, body: { title: 'Zoo', pinned: true } })).toMatchObject({
    title: 'Zoo',
    pinned: true,
    state: 'done',
  });
  expect((await client.sessions({ query: { search: 'zoo' } })).sessions.map((row) => row.id)).toEqual([id]);
  expect((await client.sessions({ query: { state: 'failed' } })).sessions).toEqual([]);
  const { hits } = await client.search({ query: { q: 'bridg zebra' } });
  expect(hits).toMatchObject([{ session: id, sessionTitle: 'Zoo', role: 'assistant' }]);
  const found = (await Array.fromAsync((await klaus.session(id)).events())).find(({ seq }) => seq === hits[0]!.seq);
  expect(found).toMatchObject({ type: 'message.added', message: { origin: 'model' } });
  expect(hits[0]!.snippet.filter(({ hit }) => hit).map(({ text }) => text)).toEqual(['zebra', 'bridge']);
  expect(await client.exportSession({ params })).toContain('The zebra sleeps under the bridge.');
  const json = JSON.parse(await client.exportSession({ params, query: { format: 'json' } })) as { events: unknown[] };
  expect(json.events).toHaveLength((await klaus.store.session(id))!.lastSeq);
  expect(await klaus.store.lastHostEvent('session.exported', id)).toMatchObject({ by: 'server', format: 'json' });

  const gone = await client.deleteSession({ params });
  expect(gone.undoUntil).toBeGreaterThan(Date.now());
  expect((await client.sessions()).sessions).toEqual([]);
  await expect(client.session({ params })).rejects.toMatchObject({ problem: { status: 410 } });
  expect((await client.keepSession({ params })).title).toBe('Zoo');
  expect((await client.sessions()).sessions).toHaveLength(1);

  await client.deleteSession({ params });
  await it.server.close();
  expect(await klaus.store.session(id)).toBeUndefined();
  expect(await klaus.search('zebra')).toEqual([]);
});

test('a fork before a message goes another way; a retry says the same again', async () => {
  await using it = await startTestServer({ script: { steps: [TITLE, { reply: { text: 'Hello.' } }] } });
  const { client, klaus } = it;
  const id = await run(it, { body: { text: 'first' } });
  const asked = (await Array.fromAsync((await klaus.session(id)).events())).find(
    (event): event is EventOf<'message.added'> => event.type === 'message.added' && event.message.origin === 'user',
  )!;
  const fork = await client.fork({ params: { id }, body: { before: asked.message.id, text: 'second' } });
  const followed = follow(client, fork.session);
  await followed.until('run.finished');
  await followed.stop();
  const said = async (session: string) =>
    (await Array.fromAsync((await klaus.session(session)).events())).flatMap((event) =>
      event.type === 'message.added' && event.message.origin === 'user' ? event.message.parts : [],
    );
  expect(await said(fork.session)).toEqual([{ type: 'text', text: 'second' }]);
  const retried = await client.retry({ params: { id }, body: {} });
  const again = follow(client, retried.session);
  await again.until('run.finished');
  await again.stop();
  expect(await said(retried.session)).toEqual([{ type: 'text', text: 'first' }]);
  expect((await client.session({ params: { id: retried.session } })).forkedFrom).toBe(id);
});

test('a prompt beyond AGENT_MAX_PROMPT_CHARS becomes an attachment', async () => {
  await using it = await startTestServer({ env: { AGENT_MAX_PROMPT_CHARS: '20' } });
  const long = 'a line of a log\n'.repeat(100);
  const id = await run(it, { body: { text: long } });
  const message = (await Array.fromAsync((await it.klaus.session(id)).events())).find(
    (event): event is EventOf<'message.added'> => event.type === 'message.added' && event.message.origin === 'user',
  )!;
  expect(message.message.parts).toMatchObject([{ type: 'text' }, { type: 'file', name: 'prompt.txt', text: long }]);
});

test('models.allow limits what clients may ask for', async () => {
  await using it = await startTestServer({ env: { KLAUS_MODELS_ALLOW: 'anthropic/claude-sonnet-*' } });
  const { models } = await it.client.models();
  expect(models.length).toBeGreaterThan(0);
  expect(models.every(({ name }) => name.startsWith('anthropic/claude-sonnet-'))).toBe(true);
  await expect(
    it.client.openSession({ body: { text: 'x', model: 'anthropic/claude-opus-5-5' } }),
  ).rejects.toMatchObject({ problem: { code: 'config', status: 409 } });
});

test('a session that waits for an answer is renamed at once, and cancelled', async () => {
  await using it = await startTestServer({ script: TWO_HUNKS, files: { 'list.txt': LINES } });
  const { client } = it;
  const { session } = await client.openSession({ body: { text: 'shout', mode: 'ask' } });
  const followed = follow(client, session);
  await followed.until('approval.asked');
  const params = { id: session };
  await untilReleased(client, session);
  expect(await client.changeSession({ params, body: { title: 'Shouting', mode: 'edits' } })).toMatchObject({
    title: 'Shouting',
    mode: 'edits',
    state: 'needs-you',
  });
  await client.cancel({ params, body: {} });
  expect(await followed.until('run.finished')).toMatchObject({ outcome: 'cancelled', by: 'server' });
  await followed.stop();
  await expect(client.resume({ params, body: {} })).resolves.toMatchObject({ session });
});

test('files are shown of known workspaces alone, and no secret file', async () => {
  await using it = await startTestServer({ files: { 'src/a.txt': 'text\n', '.env': 'KEY=abcdefgh12345678\n' } });
  const { client, place } = it;
  expect((await client.file({ params: { path: 'src/a.txt' } })).content).toBe('text\n');
  expect(await client.file({ params: { path: '.env' } })).toMatchObject({ hidden: true, content: '' });
  expect((await client.findFiles({ query: { q: 'a.t' } })).paths).toEqual(['src/a.txt']);
  const headers = { authorization: `Bearer ${it.server.token}` };
  for (const path of [
    '%2e%2e%2fklaus%2fserver%2ftoken',
    '..%2fklaus/server/token',
    'src%2f..%2f..%2fklaus',
    '%00',
    '%ff',
  ]) {
    const answer = await rawRequest(it.server, { path: `/api/files/${path}`, headers });
    expect({ path, ok: answer.status >= 400 && answer.status < 500 }).toEqual({ path, ok: true });
    expect(answer.body).not.toContain(it.server.token);
  }
  const outside = join(place.workspace, '..', 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'x'), 'x');
  await expect(client.files({ query: { workspace: outside } })).rejects.toMatchObject({ problem: { status: 403 } });
});

test('a prompt that is sent again because its answer was lost is one session and one prompt', async () => {
  await using it = await startTestServer();
  const body = { session: '01M81GDKX0E0M6PXJHQ23V5A2C', command: '01M81GDKX0E0M6PXJHQ23V5A2D', text: 'go' };
  const answers = [await it.client.openSession({ body }), await it.client.openSession({ body })];
  expect(answers).toEqual([answers[0], answers[0]]);
  const { session } = answers[0]!;
  expect(session).toBe(body.session);
  const followed = follow(it.client, session);
  await followed.until('run.finished');
  const again = { command: body.command, text: 'go' };
  await it.client.sendPrompt({ params: { id: session }, body: again });
  await followed.stop();
  await untilReleased(it.client, session);
  const events = await Array.fromAsync((await it.klaus.session(session)).events());
  expect(events.filter(({ type }) => type === 'session.opened')).toHaveLength(1);
  expect(events.filter((event) => event.type === 'message.added' && event.message.origin === 'user')).toHaveLength(1);
  expect((await it.client.sessions()).sessions).toHaveLength(1);
  await expect(it.klaus.open({ id: session })).rejects.toThrow('already');
});

test('a session is opened with fallback models, at most three', async () => {
  await using it = await startTestServer({ script: { steps: [TITLE], fallback: { text: 'Done.' } } });
  const { client, klaus } = it;
  const session = await run(it, { body: { text: 'go', fallback: ['anthropic/claude-haiku-4-5'] } });
  const [opened] = await Array.fromAsync(klaus.handle(session).events());
  expect(opened).toMatchObject({ fallback: ['anthropic/claude-haiku-4-5'] });
  const refused: unknown = await client
    .openSession({ body: { fallback: ['a', 'b', 'c', 'd'] } })
    .catch((error: unknown) => error);
  expect(isProblemError(refused) && refused.problem.status).toBe(400);
});

test('a session is opened with an effort and a temperature', async () => {
  await using it = await startTestServer({ script: { steps: [TITLE], fallback: { text: 'Done.' } } });
  const { client, klaus } = it;
  const session = await run(it, { body: { text: 'go', effort: 'low', temperature: 0 } });
  const [opened] = await Array.fromAsync(klaus.handle(session).events());
  expect(opened).toMatchObject({ effort: 'low', temperature: 0 });
  for (const body of [{ effort: 'huge' as 'low' }, { temperature: 2.1 }]) {
    const refused: unknown = await client.openSession({ body }).catch((error: unknown) => error);
    expect(isProblemError(refused) && refused.problem.status).toBe(400);
  }
});
