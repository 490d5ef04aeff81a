// Covers apps/server, core/agent/runner: an agent of another program over the server.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { toDefinition, toSaid } from '../fixtures/acp-agent.ts';
import { outcomeOf } from '../fixtures/engine.ts';
import { follow, startTestServer } from '../fixtures/server.ts';

test('its questions are answered over HTTP while the run waits', async () => {
  await using it = await startTestServer({
    files: { 'README.md': '# Test\n', '.klaus/agents/project.md': toDefinition().replace('other', 'project') },
  });
  mkdirSync(join(it.place.home, 'agents'), { recursive: true });
  writeFileSync(join(it.place.home, 'agents/other.md'), toDefinition());
  const { session } = await it.client.openSession({ body: { agent: 'other', text: 'permit other magic\nsay end' } });
  const followed = follow(it.client, session);
  const { approval } = (await followed.until('approval.asked')) as EventOf<'approval.asked'>;
  expect(await it.client.session({ params: { id: session } })).toMatchObject({ state: 'needs-you', questions: 1 });
  await it.client.answer({ params: { id: approval }, body: { answer: 'approved' } });
  await followed.until('run.finished');
  expect(toSaid(followed.events)).toBe('permission: once\nend\n');
  expect(outcomeOf(followed.events)?.outcome).toBe('done');
  await followed.stop();
  // A client cannot agree to run the program of a project.
  await expect(it.client.openSession({ body: { agent: 'project', text: 'x' } })).rejects.toMatchObject({
    problem: { code: 'usage' },
  });
});
