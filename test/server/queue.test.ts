// Covers apps/server/runs: the queue of runs and pending messages.
import { expect, test } from 'vitest';
import { startServer } from '../fixtures/klaus.ts';
import {
  follow,
  startServeProcess,
  startTestServer,
  untilReleased,
  untilSession,
  type Followed,
  type ServeProcess,
} from '../fixtures/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';

/** Resolves when two runs have ended. */
async function secondEnd(followed: Followed): Promise<void> {
  const first = await followed.until('run.finished');
  await followed.until('run.finished', ({ seq }) => seq > first.seq);
}

const CHECK = "import test from 'node:test';\ntest('holds', () => {});\n";

test('a queued message can be withdrawn, and is never sent', async () => {
  await using it = await startTestServer({
    script: {
      steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a', content: 'a' } }] } }],
      fallback: { text: 'Fine.' },
    },
  });
  const { session: id } = await it.client.openSession({ body: { text: 'Begin.', mode: 'ask' } });
  const followed = follow(it.client, id);
  await followed.until('approval.asked');
  const kept = await it.client.sendPrompt({ params: { id }, body: { text: 'Kept.', delivery: 'queue' } });
  const taken = await it.client.sendPrompt({ params: { id }, body: { text: 'Withdrawn.', delivery: 'queue' } });
  await it.client.withdraw({ params: { id, command: taken.command } });
  // Twice is once.
  await it.client.withdraw({ params: { id, command: taken.command } });
  const { queue } = await it.client.session({ params: { id } });
  expect(queue.map(({ command }) => command)).toEqual([kept.command]);

  const { approvals } = await it.client.approvals({ query: { session: id } });
  await it.client.answer({ params: { id: approvals[0]!.id }, body: { answer: 'rejected' } });
  await secondEnd(followed);
  await followed.stop();
  const said = followed.events.flatMap((event) =>
    event.type === 'message.added' && event.message.origin === 'user' ? [JSON.stringify(event.message.parts)] : [],
  );
  expect(said).toHaveLength(2);
  expect(said.join()).not.toContain('Withdrawn');
  expect(JSON.stringify(it.model.requests)).not.toContain('Withdrawn');
  expect((await it.client.session({ params: { id } })).queue).toEqual([]);
});

test('a queued shell command is listed in order, and can be withdrawn', async () => {
  await using it = await startTestServer({
    script: {
      steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a', content: 'a' } }] } }],
      fallback: { text: 'Fine.' },
    },
  });
  const { session: id } = await it.client.openSession({ body: { text: 'Begin.', mode: 'ask' } });
  const followed = follow(it.client, id);
  const asked = await followed.until('approval.asked');
  const params = { id };
  const first = await it.client.shell({ params, body: { command: 'echo first' } });
  const message = await it.client.sendPrompt({ params, body: { text: 'Then.', delivery: 'queue' } });
  const last = await it.client.shell({ params, body: { command: 'echo last' } });
  const { queue } = await it.client.session({ params });
  expect(queue).toEqual([
    { command: first.command, delivery: 'queue', parts: [], shell: 'echo first' },
    { command: message.command, delivery: 'queue', parts: [{ type: 'text', text: 'Then.' }] },
    { command: last.command, delivery: 'queue', parts: [], shell: 'echo last' },
  ]);
  await it.client.withdraw({ params: { id, command: last.command } });
  expect((await it.client.session({ params })).queue).toEqual(queue.slice(0, 2));

  const { approvals } = await it.client.approvals({ query: { session: id } });
  await it.client.answer({ params: { id: approvals[0]!.id }, body: { answer: 'rejected' } });
  const then = await followed.until('run.started', ({ trigger, seq }) => trigger === 'prompt' && seq > asked.seq);
  await followed.until('run.finished', ({ seq }) => seq > then.seq);
  await followed.stop();
  const runs = followed.events.flatMap((event) => (event.type === 'run.started' ? [event.trigger] : []));
  expect(runs).toEqual(['prompt', 'shell', 'prompt']);
  expect(JSON.stringify(followed.events)).not.toContain('echo last');
  expect((await it.client.session({ params })).queue).toEqual([]);
});

test('a message that was read already stays said', async () => {
  await using it = await startTestServer();
  const { session: id, command } = await it.client.openSession({ body: { text: 'Begin.' } });
  const followed = follow(it.client, id);
  await followed.until('run.finished');
  await it.client.withdraw({ params: { id, command: command! } });
  await it.client.sendPrompt({ params: { id }, body: { text: 'Again.' } });
  await secondEnd(followed);
  await followed.stop();
  const said = followed.events.filter((event) => event.type === 'message.added' && event.message.origin === 'user');
  expect(said).toHaveLength(2);
});

test('the complete output of a call is available if the model saw a part', async () => {
  await using it = await startTestServer({
    script: {
      steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'seq 1 60000' } }] } }],
      fallback: { text: 'Done.' },
    },
  });
  const { session: id } = await it.client.openSession({ body: { text: 'Count.', mode: 'auto' } });
  const followed = follow(it.client, id);
  const finished = await followed.until('tool.finished');
  await followed.stop();
  if (finished.type !== 'tool.finished') throw new Error('another event');
  expect(finished.output).not.toContain('\n30000\n');
  const complete = await it.client.callOutput({ params: { id, call: finished.call } });
  expect(complete).toContain('\n30000\n');
  expect(complete).toContain('\n60000\n');
  await expect(it.client.callOutput({ params: { id, call: 'none' } })).rejects.toMatchObject({
    problem: { status: 404 },
  });
});

test('the checks of the last run can be run again, and the log says what came out', async () => {
  await using it = await startTestServer({
    files: { 'a.test.mjs': CHECK },
    script: {
      steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'node --test' } }] } }],
      fallback: { text: 'All tests pass.' },
    },
  });
  const { session: id } = await it.client.openSession({ body: { text: 'Test it.', mode: 'auto' } });
  const followed = follow(it.client, id);
  await followed.until('run.finished');
  await untilReleased(it.client, id);
  const verified = await it.client.verify({ params: { id }, body: {} });
  expect(verified).toMatchObject({ isChanged: false, checks: [{ command: 'node --test', result: 'passed' }] });
  await followed.until('evidence.verified');
  await followed.stop();
});

test('a session says since when it waits for an answer', async () => {
  await using it = await startTestServer({
    script: { steps: [{ reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a' } }] } }] },
  });
  const { session: id } = await it.client.openSession({ body: { text: 'Write.', mode: 'ask' } });
  const followed = follow(it.client, id);
  const asked = await followed.until('approval.asked');
  await followed.stop();
  const { askedAt, state } = await it.client.session({ params: { id } });
  expect(state).toBe('needs-you');
  expect(Date.parse(askedAt!)).toBe(asked.at);
  const { approvals } = await it.client.approvals({ query: { session: id } });
  await it.client.answer({ params: { id: approvals[0]!.id }, body: { answer: 'rejected' } });
  const again = follow(it.client, id);
  await again.until('run.finished');
  await again.stop();
  expect((await it.client.session({ params: { id } })).askedAt).toBeNull();
});

test('the next server has the queue in the order that the user gave it', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const talk = { when: { user: 'talk' }, pace: 20, reply: { text: { repeat: 'and on ', times: 100_000 } } };
  await using model = await startServer({ steps: [talk], fallback: { text: 'Fine.' } });
  const options = { env: { AGENT_MAX_CONCURRENT_SESSIONS: '1' } };
  const first = await startServeProcess(place, model, options);
  const ids: string[] = [];
  for (const text of ['talk', 'one', 'two', 'three'])
    ids.push((await first.client.openSession({ body: { text } })).session);
  const [talking = '', one = '', two = '', three = ''] = ids;
  await first.client.moveQueued({ params: { id: three }, body: { position: 1 } });
  const queued = async (client: ServeProcess['client']) => (await client.runs()).queued.map(({ session }) => session);
  expect(await queued(first.client)).toEqual([three, one, two]);
  first.process.kill('SIGKILL');
  await first.process.ended;
  const second = await startServeProcess(place, model, options);
  // A run of a killed process is free when its lease has expired.
  await untilSession(second.client, two, ({ position }) => position === 3);
  expect(await queued(second.client)).toEqual([three, one, two]);
  expect((await second.client.runs()).running).toMatchObject([{ session: talking }]);
  second.process.kill('SIGKILL');
  await second.process.ended;
});
