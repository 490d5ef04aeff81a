// Covers apps/server/runs, apps/server/streams, apps/server/handlers, sdk/sessions/advance-tree: a team over the server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestServer, follow, type TestServer } from '../fixtures/server.ts';

const LEAD = `---
name: lead
description: Leads.
grants: fs(., rw) spawn(1, 4) tool(*)
allowedAgents: [writer, reader]
---

You are LEAD.
`;
const WRITER = `---
name: writer
description: Writes.
grants: fs(., r) tool(*)
---

You are WRITER.
`;
const READER = WRITER.replaceAll('writer', 'reader').replace('WRITER', 'READER');

const DELEGATES = 'fs(., rw) spawn(1, 4) tool(*) delegable: fs(., r) spawn(1, 4) tool(*)';

const FILES = {
  'a.txt': 'one\n',
  '.klaus/agents/lead.md': LEAD,
  '.klaus/agents/writer.md': WRITER,
  '.klaus/agents/reader.md': READER,
};

const spawn = (agent: string) => ({ name: 'spawn_agent', input: { agent, task: `Work as ${agent}.` } });
const WAIT = { name: 'wait_agents', input: {} };
/** More than the writer may do: the user is asked. */
const WRITE = { name: 'write_file', input: { path: 'b.txt', content: 'two\n' } };

type Reply = { text: string } | { calls: { name: string; input: object }[] };

const stepsOf = (system: string, replies: readonly Reply[]) =>
  replies.map((reply, turn) => ({ when: { system, turn }, reply }));

const startTeam = (lead: readonly Reply[], others: readonly object[]): Promise<TestServer> =>
  startTestServer({ files: FILES, script: { steps: [...stepsOf('LEAD', lead), ...others] as never } });

const WRITER_STEPS = stepsOf('WRITER', [{ calls: [WRITE] }, { text: 'Written.' }]);

/** Starts the team and returns the question of the writer, with the session of the lead. */
async function startAndAsk({ client }: TestServer) {
  const { session } = await client.openSession({
    body: { text: 'Lead.', agent: 'lead', grant: [DELEGATES], onAsk: 'wait' },
  });
  for (;;) {
    const { approvals } = await client.approvals();
    if (approvals[0]) return { session, approval: approvals[0] };
  }
}

async function untilState({ client }: TestServer, id: string, state: string) {
  for (;;) {
    const row = await client.session({ params: { id } });
    if (row.state === state) return row;
  }
}

test('the answer to a child over HTTP continues the child and its parent', async () => {
  await using it = await startTeam(
    [{ calls: [spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }],
    WRITER_STEPS,
  );
  const { session, approval } = await startAndAsk(it);
  expect(approval.session).not.toBe(session);
  expect(approval.chain?.map(({ agent }) => agent)).toEqual(['lead', 'writer']);
  expect(await untilState(it, session, 'needs-you')).toMatchObject({ questions: 1, parent: null });
  const child = await it.client.session({ params: { id: approval.session } });
  expect(child).toMatchObject({ parent: session, agent: 'writer', state: 'needs-you', questions: 1 });
  await it.client.answer({ params: { id: approval.id }, body: { answer: 'approved' } });
  const followed = follow(it.client, session);
  expect(await followed.until('run.finished')).toMatchObject({ outcome: 'done' });
  await followed.stop();
  expect(readFileSync(join(it.place.workspace, 'b.txt'), 'utf8')).toBe('two\n');
  expect(await untilState(it, session, 'done')).toMatchObject({ questions: 0 });
  expect(await it.client.session({ params: { id: child.id } })).toMatchObject({ state: 'done', questions: 0 });
});

test('the answer of another process wakes the parent that the server runs', async () => {
  await using it = await startTeam(
    [{ calls: [spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }],
    WRITER_STEPS,
  );
  const { session, approval } = await startAndAsk(it);
  await untilState(it, session, 'needs-you');
  // As another process does it: the server learns of it from the database only.
  await it.klaus.answer(approval.id, 'rejected', { by: 'cli' });
  const followed = follow(it.client, session);
  expect(await followed.until('run.finished')).toMatchObject({ outcome: 'done' });
  await followed.stop();
});

test('an answer for one child, and a cancel request, do not wait for the end of another child', async () => {
  await using it = await startTeam(
    [{ calls: [spawn('reader'), spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }],
    [...WRITER_STEPS, ...stepsOf('READER', [{ text: 'Read.' }]).map((step) => ({ ...step, delay: 600_000 }))],
  );
  const { session, approval } = await startAndAsk(it);
  const lead = follow(it.client, session);
  await lead.until('tool.waiting');
  while ((await it.klaus.store.isClaimed(session)) || (await it.klaus.store.isClaimed(approval.session)));
  await it.client.answer({ params: { id: approval.id }, body: { answer: 'approved' } });
  const followed = follow(it.client, approval.session);
  expect(await followed.until('run.finished')).toMatchObject({ outcome: 'done' });
  await followed.stop();
  await it.client.cancel({ params: { id: session }, body: {} });
  expect(await lead.until('run.finished')).toMatchObject({ outcome: 'cancelled' });
  await lead.stop();
});

test('a closed child takes no prompt', async () => {
  await using it = await startTeam(
    [{ calls: [spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }],
    WRITER_STEPS,
  );
  const { session, approval } = await startAndAsk(it);
  await it.client.answer({ params: { id: approval.id }, body: { answer: 'approved' } });
  await untilState(it, session, 'done');
  const sent = it.client.sendPrompt({ params: { id: approval.session }, body: { text: 'More.' } });
  await expect(sent).rejects.toMatchObject({ problem: { code: 'usage' } });
});
