// Covers apps/server/handlers, apps/cli/client: a compaction and a command of the user, over HTTP and in process.
import { createTestHome } from '../fixtures/test-home.ts';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { follow, startTestServer, untilReleased } from '../fixtures/server.ts';

const SCRIPT: Script = {
  steps: [
    { when: { tools: false, system: 'compress the history' }, reply: { text: 'NOTES' } },
    { when: { tools: false }, reply: { text: 'A title' } },
  ],
  fallback: { text: { repeat: 'word ', times: 400 } },
};

test('the server runs a command of the user and compacts a session', async () => {
  await using it = await startTestServer({ script: SCRIPT });
  const { client } = it;
  const { session } = await client.openSession({ body: { text: 'one' } });
  const params = { id: session };
  const followed = follow(client, session);
  await followed.until('run.finished');
  await client.sendPrompt({ params, body: { text: 'two', delivery: 'queue' } });
  await client.shell({ params, body: { command: 'echo from the user' } });
  await followed.until('tool.finished', ({ output }) => output.includes('from the user'));
  await client.compact({ params, body: {} });
  expect(await followed.until('context.compacted')).toMatchObject({ summary: expect.stringContaining('NOTES') });
  await followed.until('run.finished', ({ reason }) => reason.includes('compacted'));
  await followed.stop();
  await expect(client.shell({ params, body: { command: '' } })).rejects.toMatchObject({ problem: { status: 400 } });
  const { events } = await client.log({ params, query: {} });
  expect(ofType(events, 'run.started').map(({ trigger }) => trigger)).toEqual(['prompt', 'prompt', 'shell', 'compact']);
  expect(ofType(events, 'run.started')[2]).toMatchObject({ by: expect.stringMatching(/^server/) });
  await untilReleased(client, session);
  expect(await client.changeSession({ params, body: { effort: 'low' } })).toMatchObject({ id: session });
  const { events: after } = await client.log({ params, query: {} });
  expect(after.at(-1)).toMatchObject({ type: 'session.changed', effort: 'low' });
  await client.changeSession({ params, body: { fallback: ['scripted/other'] } });
  const { events: last } = await client.log({ params, query: {} });
  expect(last.at(-1)).toMatchObject({ type: 'session.changed', fallback: ['scripted/other'] });
});

test('klaus compact compacts a session that no process holds', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  const first = await runKlaus(['run', '--json', 'one'], { place, server });
  const { session } = toEvents(first.stdout)[0]!;
  await runKlaus(['--session', session, 'two'], { place, server });
  const compacted = await runKlaus(['compact', session], { place, server });
  expect({ code: compacted.code, stderr: compacted.stderr }).toMatchObject({ code: 0 });
  const events = toEvents((await runKlaus(['show', session, '--json'], { place })).stdout);
  expect(ofType(events, 'context.compacted')).toMatchObject([{ summary: expect.stringContaining('NOTES') }]);
});
