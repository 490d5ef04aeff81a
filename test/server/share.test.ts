// Covers sdk/share, apps/server/handlers, apps/cli/commands/sessions: the languages of a shared session, and its child sessions.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deShare } from '../../sdk/share/de-share.ts';
import { enShare } from '../../sdk/share/en-share.ts';
import { findShown } from '../fixtures/canary.ts';
import { runKlaus } from '../fixtures/klaus.ts';
import { follow, startTestServer } from '../fixtures/server.ts';
import { spawn, stepsOf, TEAM_FILES, TEAM_GRANT, WAIT } from '../fixtures/team.ts';

/** No pattern of a key: only the present value of the secret file makes it a secret. */
const CANARY = 'violet-harbour-93-lantern-quartz';
const HOSTILE = '</details></main><script>globalThis.taken = 1</script>';

const STEPS = [
  ...stepsOf('lead', [{ calls: [spawn('reader')] }, { calls: [WAIT] }, { text: 'All is done.' }]),
  ...stepsOf('reader', [
    { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
    { text: `The reader saw ${CANARY}. ${HOSTILE}` },
  ]),
];

test('a shared session has the conversations of its agents, and the language of the user', async () => {
  await using it = await startTestServer({ files: TEAM_FILES, script: { steps: STEPS as never } });
  const { session } = await it.client.openSession({
    body: { text: 'Lead.', agent: 'lead', grant: [TEAM_GRANT], onAsk: 'wait' },
  });
  const followed = follow(it.client, session);
  await followed.until('run.finished');
  await followed.stop();
  // The value becomes a secret after it was said.
  writeFileSync(join(it.place.workspace, '.env'), `PASSWORD=${CANARY}\n`);
  const share = (language?: 'en' | 'de') =>
    it.client.exportSession({ params: { id: session }, query: { format: 'html', language } });

  const english = await share();
  expect(english).toContain('<html lang="en">');
  // The conversation of the agent is folded, below the call that started it.
  const [before, after] = english.split(`<details class="child"><summary>${enShare.child('reader')}`);
  expect(before).toContain('spawn_agent');
  expect(after).toContain('Work as reader.');
  expect(after).toContain('The reader saw');
  expect(after).toContain('All is done.');
  expect(english.match(/<details class="child">/g)).toHaveLength(1);
  expect(findShown([english], [CANARY])).toEqual([]);
  expect(english).toContain('[secret:');
  expect(english).not.toContain('<script');

  const german = await share('de');
  expect(german).toContain('<html lang="de">');
  expect(german).toContain(deShare.child('reader'));
  expect(german).toContain(deShare.outcomes.done);
  expect(german).toContain(deShare.gate('allow'));
  for (const text of [enShare.child('reader'), enShare.gate('allow'), '>Done<', ' tokens in', ' turns ·'])
    expect(german).not.toContain(text);

  const { place } = it;
  const printed = await runKlaus(['export', session, '--format', 'html', '--language', 'de'], { place });
  expect(printed.stdout.trimEnd()).toBe(german.trimEnd());
  const refused = await runKlaus(['export', session, '--language', 'de'], { place });
  expect(refused.code).toBe(2);
});
