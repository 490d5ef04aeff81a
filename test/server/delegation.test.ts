// Covers apps/server/runs, apps/server/streams, apps/server/handlers, sdk/sessions: a team over the server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestServer, follow, untilState, type TestServer } from '../fixtures/server.ts';
import { pollUntil } from '../fixtures/poll.ts';
import { spawn, startTeam, stepsOf, TEAM_FILES, WAIT, WRITER_STEPS, type Reply } from '../fixtures/team.ts';

const startServer = (lead: readonly Reply[], others: readonly object[]): Promise<TestServer> =>
  startTestServer({ files: TEAM_FILES, script: { steps: [...stepsOf('lead', lead), ...others] as never } });

test('the answer to a child over HTTP continues the child and its parent', async () => {
  await using it = await startServer(
    [{ calls: [spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }],
    WRITER_STEPS,
  );
  const { session, approval } = await startTeam(it);
  expect(approval.session).not.toBe(session);
  expect(approval.chain?.map(({ agent }) => agent)).toEqual(['lead', 'writer']);
  expect(await untilState(it.client, session, 'needs-you')).toMatchObject({ questions: 1, parent: null });
  const child = await it.client.session({ params: { id: approval.session } });
  expect(child).toMatchObject({ parent: session, agent: 'writer', state: 'needs-you', questions: 1 });
  await it.client.answer({ params: { id: approval.id }, body: { answer: 'approved' } });
  const followed = follow(it.client, session);
  expect(await followed.until('run.finished')).toMatchObject({ outcome: 'done' });
  await followed.stop();
  expect(readFileSync(join(it.place.workspace, 'b.txt'), 'utf8')).toBe('two\n');
  expect(await untilState(it.client, session, 'done')).toMatchObject({ questions: 0 });
  expect(await it.client.session({ params: { id: child.id } })).toMatchObject({ state: 'done', questions: 0 });
});

test('the answer of another process wakes the parent that the server runs', async () => {
  await using it = await startServer(
    [{ calls: [spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }],
    WRITER_STEPS,
  );
  const { session, approval } = await startTeam(it);
  await untilState(it.client, session, 'needs-you');
  // As another process does it: the server learns of it from the database only.
  await it.klaus.answer(approval.id, 'rejected', { by: 'cli' });
  const followed = follow(it.client, session);
  expect(await followed.until('run.finished')).toMatchObject({ outcome: 'done' });
  await followed.stop();
});

test(
  'an answer for one child, and a cancel request, do not wait for the end of another child',
  { tags: ['long'] },
  async () => {
    await using it = await startServer(
      [{ calls: [spawn('reader'), spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }],
      [...WRITER_STEPS, ...stepsOf('reader', [{ text: 'Read.' }]).map((step) => ({ ...step, delay: 600_000 }))],
    );
    const { session, approval } = await startTeam(it);
    const lead = follow(it.client, session);
    await lead.until('tool.waiting');
    // The release of a lease is no commit, of which the store would notify. The list shows the session as held.
    for (const id of [session, approval.session]) await pollUntil(async () => !(await it.klaus.store.isClaimed(id)));
    await it.client.answer({ params: { id: approval.id }, body: { answer: 'approved' } });
    const followed = follow(it.client, approval.session);
    expect(await followed.until('run.finished')).toMatchObject({ outcome: 'done' });
    await followed.stop();
    await it.client.cancel({ params: { id: session }, body: {} });
    expect(await lead.until('run.finished')).toMatchObject({ outcome: 'cancelled' });
    await lead.stop();
  },
);

test('a closed child takes no prompt', { tags: ['long'] }, async () => {
  await using it = await startServer(
    [{ calls: [spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }],
    WRITER_STEPS,
  );
  const { session, approval } = await startTeam(it);
  await it.client.answer({ params: { id: approval.id }, body: { answer: 'approved' } });
  await untilState(it.client, session, 'done');
  const sent = it.client.sendPrompt({ params: { id: approval.session }, body: { text: 'More.' } });
  await expect(sent).rejects.toMatchObject({ problem: { code: 'usage' } });
});
