// Covers apps/server, adapters/store/sqlite/log: audited actions of the server.
import type { HostEvent } from '@klaus/sdk';
import { createClient } from '@klaus/server/client';
import { expect, test } from 'vitest';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { follow, startServeProcess, untilReleased } from '../fixtures/server.ts';

const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'new.txt', content: 'new\n' } }] } },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
  ],
};

test('what is answered, given out, changed, put back and deleted over the server is in the audit, by its door', async () => {
  using place = createTestHome();
  await using model = await startServer(SCRIPT);
  const serve = await startServeProcess(place, model, { words: ['--approve', 'ask'] });
  const { client } = serve;
  const { session } = await client.openSession({ body: { text: 'go' } });
  const params = { id: session };
  const followed = follow(client, session);
  await followed.until('approval.asked');
  const [approval] = (await client.approvals()).approvals;
  await client.answer({ params: { id: approval!.id }, body: { answer: 'approved' } });
  await followed.until('run.finished');
  await followed.stop();
  await client.exportSession({ params, query: { format: 'md' } });
  await createClient({ ...client.connection, token: client.connection.token!, as: 'page' }).exportSession({
    params,
    query: { format: 'json' },
  });
  await client.changeSession({ params, body: { title: 'Only a name', pinned: true } });
  await client.changeSession({ params, body: { mode: 'auto', limits: { usd: 7 } } });
  await untilReleased(client, session);
  await client.undo({ params, body: {} });
  await client.deleteSession({ params });
  serve.process.kill('SIGTERM');
  expect((await serve.process.ended).code).toBe(0);

  // Under other settings than before: the next run there says so.
  const next = await startServeProcess(place, model, { env: { AGENT_WS_RATE_LIMIT: '5' } });
  const other = await next.client.openSession({ body: { text: 'go', mode: 'ask' } });
  const again = follow(next.client, other.session);
  await again.until('approval.asked');
  const [refused] = (await next.client.approvals()).approvals;
  await next.client.answer({ params: { id: refused!.id }, body: { answer: 'rejected' } });
  await again.until('run.finished');
  await again.stop();
  next.process.kill('SIGTERM');
  await next.process.ended;

  const shown = await runKlaus(['audit', 'show', '--host', '--json'], { place });
  const events = shown.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as HostEvent);
  const ours = events.flatMap((event) => ('session' in event && event.session === session ? [event] : []));
  const by = 'server';
  expect(ours.filter(({ type }) => type !== 'session.anchored')).toMatchObject([
    { type: 'approval.answered', approval: approval!.id, answer: 'approved', by },
    { type: 'session.exported', format: 'md', by },
    { type: 'session.exported', format: 'json', by: 'server/page' },
    { type: 'session.changed', mode: 'auto' },
    { type: 'session.changed', limits: { usd: 7 } },
    { type: 'workspace.restored', kind: 'undo', files: 1, by },
    { type: 'session.deleted', by },
  ]);
  const settings = events.filter(({ type }) => type === 'configuration.changed').at(-1);
  expect(settings).toMatchObject({
    workspace: place.workspace,
    changes: expect.arrayContaining([expect.objectContaining({ key: 'server.wsRateLimit', after: '5' })]),
  });
  const denied = await runKlaus(['audit', 'show', '--host', '--denied', '--json'], { place });
  expect(denied.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(denied.stdout)).toMatchObject({ approval: refused!.id, answer: 'rejected' });
  expect((await runKlaus(['audit', 'verify'], { place })).code).toBe(0);
});
