// Covers apps/server/handlers, apps/cli/commands: a plan is accepted over HTTP and by another process.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf, Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { ofType, outcomeOf } from '../fixtures/engine.ts';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { follow, startTestServer } from '../fixtures/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const PLAN = '# Two steps\n\n1. Read.\n2. Write `a.txt`.\n';
const EDITED = '# One step\n\n1. Write `a.txt`.\n';
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { turn: 0 },
      reply: { calls: [{ name: 'use_tool', input: { name: 'present_plan', input: { plan: PLAN } } }] },
    },
    { when: { turn: 1 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'done\n' } }] } },
  ],
  fallback: { text: 'Done.' },
};

test('the server shows a plan and accepts it with the text of the user and a mode', async () => {
  await using it = await startTestServer({ script: SCRIPT });
  const { client } = it;
  const { session } = await client.openSession({ body: { text: 'plan it', mode: 'plan' } });
  const followed = follow(client, session);
  const { approval } = (await followed.until('approval.asked')) as EventOf<'approval.asked'>;
  expect(await client.approval({ params: { id: approval } })).toMatchObject({ kind: 'plan', plan: PLAN, hunks: [] });
  const answer = (mode: string) =>
    client.answer({ params: { id: approval }, body: { answer: 'approved', plan: EDITED, mode: mode as 'auto' } });
  await expect(answer('plan')).rejects.toMatchObject({ problem: { status: 400 } });
  await answer('auto');
  expect(await followed.until('run.finished')).toMatchObject({ outcome: 'done' });
  await followed.stop();
  expect(await client.session({ params: { id: session } })).toMatchObject({ mode: 'auto' });
  const { events } = await client.log({ params: { id: session }, query: {} });
  expect(events.find(({ type }) => type === 'approval.answered')).toMatchObject({ plan: EDITED });
});

test('klaus approve accepts the plan of another process, with the text of a file', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  const first = await runKlaus(['run', '--json', '--approve', 'plan', '--on-ask', 'wait', 'plan it'], {
    place,
    server,
  });
  const [asked] = ofType(toEvents(first.stdout), 'approval.asked');
  const listed = await runKlaus(['approvals'], { place, server });
  expect(listed.stdout).toContain('2. Write `a.txt`.');
  writeFileSync(join(place.workspace, 'plan.md'), EDITED);
  const words = ['approve', asked!.approval, '--plan', 'plan.md'];
  const second = await runKlaus(words, { place, server });
  expect({ code: second.code, stderr: second.stderr }).toMatchObject({ code: 0 });
  const shown = await runKlaus(['show', asked!.session], { place });
  expect(shown.stdout).toContain('2. Write `a.txt`.');
  expect(shown.stdout).toContain('1. Write `a.txt`.');
  const events = toEvents((await runKlaus(['show', asked!.session, '--json'], { place })).stdout);
  expect(ofType(events, 'approval.answered')).toMatchObject([{ answer: 'approved', plan: EDITED }]);
  expect(ofType(events, 'session.changed').find(({ mode }) => mode)).toMatchObject({ mode: 'edits' });
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
});
