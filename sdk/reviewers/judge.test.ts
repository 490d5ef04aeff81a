import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createModelServer, parseScript } from '@klaus/adapters/models';
import { review, REVIEWERS } from '@klaus/core/reviewers';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfiguration } from '../config/load-configuration.ts';
import { createJudge } from './judge.ts';
import { createVerdictCache } from './verdict-cache.ts';

const INPUT = {
  tool: 'Bash',
  input: { command: 'docker compose down # hunter2hunter2' },
  root: '/project',
  request: [],
};

async function configure(env: Record<string, string>, settings: Record<string, unknown> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'klaus-judge-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return loadConfiguration({ env, home, cwd: home, settings });
}

async function play(steps: string, settings: Record<string, unknown> = {}, wire: 'ANTHROPIC' | 'OPENAI' = 'ANTHROPIC') {
  const server = await createModelServer({ script: await parseScript(steps, 'test.yaml') });
  onTestFinished(() => server.close());
  const url = wire === 'OPENAI' ? `${server.url}/v1` : server.url;
  const configuration = await configure({ [`${wire}_API_KEY`]: 'sk-test', [`${wire}_BASE_URL`]: url }, settings);
  const judge = createJudge({ configuration, redact: (text) => text.replaceAll('hunter2hunter2', '[secret]') });
  const cache = createVerdictCache();
  const run = () =>
    review(REVIEWERS['tool-approve'], INPUT, { judge, cache, mode: 'strict', signal: new AbortController().signal });
  return { server, run };
}

const CALL = `{ name: give_verdict, input: { verdict: DENY, reason: "It stops the services." } }`;

test.each(['ANTHROPIC', 'OPENAI'] as const)('%s: the verdict is a tool call or a text, with its cost', async (wire) => {
  const call = await play(`steps: [{ reply: { calls: [${CALL}] } }]`, {}, wire);
  expect(await call.run()).toMatchObject({ outcome: 'deny', decidedBy: 'model', reason: 'It stops the services.' });
  const text = await play(`steps: [{ reply: { text: '{"verdict": "APPROVE", "reason": "fine"}' } }]`, {}, wire);
  const verdict = await text.run();
  expect(verdict).toMatchObject({ outcome: 'pass', decidedBy: 'model', cost: { requests: 1 } });
  expect(verdict.cost!.usd).toBeGreaterThan(0);
  expect(await text.run()).toMatchObject({ cached: true });
  expect(text.server.requests).toHaveLength(1);
});

test('no secret is sent, and the tier is that of the configuration', async () => {
  const settings = { 'reviewers.tiers': { 'tool-approve': 'opus' } };
  const { run, server } = await play(`steps: [{ reply: { calls: [${CALL}] } }]`, settings);
  const { cost } = await run();
  expect(cost!.model).toContain('opus');
  expect(server.requests[0]!.body).toContain('[secret]');
  expect(server.requests[0]!.body).not.toContain('hunter2hunter2');
});

test('a text that is no verdict is asked for three times', async () => {
  const { run, server } = await play('steps: [{ reply: { text: "Looks good to me." } }]');
  expect(await run()).toMatchObject({ outcome: 'deny', decidedBy: 'unavailable', cost: { requests: 3 } });
  expect(server.requests).toHaveLength(3);
});

test.each([
  ['{ kind: status, status: 529, always: true }', /failed/],
  ['{ kind: reset, always: true }', /failed/],
  ['{ kind: hang, always: true }', /within 1 seconds/],
])('a provider that fails denies: %s', async (fault, reason) => {
  const steps = `steps: [{ reply: { calls: [${CALL}] }, faults: [${fault}] }]`;
  const { run } = await play(steps, { 'reviewers.timeoutMs': 1_000 });
  const verdict = await run();
  expect(verdict).toMatchObject({ outcome: 'deny', decidedBy: 'unavailable' });
  expect(verdict.reason).toMatch(reason);
});

test('without a key there is no judge', async () => {
  expect(createJudge({ configuration: await configure({}), redact: (text) => text })).toBeUndefined();
});

test('the cache keeps the verdicts that were used last', async () => {
  const cache = createVerdictCache(2);
  const verdict = { reviewer: 'tool-approve', outcome: 'pass', reason: '', decidedBy: 'model' } as const;
  for (const key of ['a', 'b']) await cache.set(key, verdict);
  await cache.get('a');
  await cache.set('c', verdict);
  expect([await cache.get('a'), await cache.get('b'), await cache.get('c')]).toEqual([verdict, undefined, verdict]);
});
