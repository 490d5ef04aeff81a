// Covers adapters/tools/deploy, core/agent/calls: the decision about a deploy through the loop.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { PAGES, SITE } from './bench.ts';
import { NETLIFY_SITE, NETLIFY_TOKEN, startNetlify } from './netlify-service.ts';

test('a deploy beyond the grant asks, and its approval covers these files only', async () => {
  await using service = await startNetlify();
  await using engine = await createTestEngine({
    files: SITE,
    env: { KLAUS_NETLIFY_URL: service.url, NETLIFY_AUTH_TOKEN: NETLIFY_TOKEN, NETLIFY_SITE_ID: NETLIFY_SITE },
    settings: { approve: 'auto', checkpoint: 'manual' },
    script: {
      steps: [
        { when: { turn: 0, tools: true }, reply: { calls: [{ name: 'deploy_netlify', input: { folder: 'dist' } }] } },
      ],
      fallback: { text: 'Done.' },
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('Deploy.', { onAsk: 'wait' });
  let advanced = await session.advance();
  for (const content of ['<h1>Later</h1>\n', undefined]) {
    expect(advanced.state).toBe('parked');
    expect(service.requests).toEqual([]);
    if (content !== undefined) writeFileSync(join(engine.place.workspace, 'dist/index.html'), content);
    if (advanced.state !== 'parked') break;
    for (const { approval } of advanced.approvals) await engine.klaus.answer(approval, 'approved', { by: 'test' });
    advanced = await session.advance();
  }
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'gate.decided').map(({ verdict }) => verdict)).toEqual(['ask', 'ask', 'allow']);
  const asked = ofType(events, 'approval.asked');
  expect(asked.map(({ subject }) => subject.kind === 'call' && subject.remember)).toEqual([undefined, undefined]);
  for (const name of ['reach 127.0.0.1', 'send NETLIFY_AUTH_TOKEN to 127.0.0.1'])
    expect(asked[0]!.reason).toContain(name);
  expect(ofType(events, 'tool.finished')).toMatchObject([{ outcome: 'ok', detail: { uploaded: 4 } }]);
  expect(service.site()).toEqual({ ...PAGES, 'index.html': '<h1>Later</h1>\n' });
});

test('without an approver nothing is sent', async () => {
  await using service = await startNetlify();
  await using engine = await createTestEngine({
    files: SITE,
    env: { KLAUS_NETLIFY_URL: service.url, NETLIFY_AUTH_TOKEN: NETLIFY_TOKEN, NETLIFY_SITE_ID: NETLIFY_SITE },
    settings: { approve: 'auto', checkpoint: 'manual' },
    script: {
      steps: [
        { when: { turn: 0, tools: true }, reply: { calls: [{ name: 'deploy_netlify', input: { folder: 'dist' } }] } },
      ],
      fallback: { text: 'Done.' },
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('Deploy.', { onAsk: 'deny' });
  await session.advance();
  expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')).toMatchObject([{ outcome: 'denied' }]);
  expect(service.requests).toEqual([]);
});
