// Covers sdk/open, apps/cli/run: the limits of new sessions, with and without a person.
import { createKlaus, NO_LIMITS, type Limits, type OpenOptions } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const SCRIPT = { steps: [], fallback: { text: 'Hello.' } };
const OF_SCRIPTS = { ...NO_LIMITS, tokens: 200_000, toolCalls: 100 };

async function openedLimits(given: OpenOptions, settings: Record<string, unknown> = {}) {
  await using engine = await createTestEngine({ script: SCRIPT, settings: settings as never });
  const session = await engine.klaus.open(given);
  return ofType(await Array.fromAsync(session.events()), 'session.opened')[0]!.limits;
}

test('a session has the default limits without a person, and none with one', async () => {
  expect(await openedLimits({})).toEqual(OF_SCRIPTS);
  expect(await openedLimits({ attended: true })).toEqual(NO_LIMITS);
});

test('limits that a person has chosen hold', async () => {
  const settings = { 'limits.toolCalls': 7 };
  expect(await openedLimits({ attended: true }, settings)).toEqual({ ...NO_LIMITS, toolCalls: 7 });
  expect(await openedLimits({ attended: true, limits: { usd: 2 } }, settings)).toEqual({
    ...NO_LIMITS,
    toolCalls: 7,
    usd: 2,
  });
});

test.each<[string, OpenOptions, Partial<Limits>]>([
  ['has limits in tokens and minutes', {}, { tokens: 1_000_000, minutes: 60 }],
  ['has one of them if the person wants no other', { limits: { tokens: 0 } }, { minutes: 60 }],
  ['has none if the person wants none', { limits: { tokens: 0, minutes: 0 } }, {}],
])('a session with a person and a model without a price %s', async (_, given, limits) => {
  using place = createTestHome();
  await using klaus = await createKlaus({
    home: place.home,
    cwd: place.workspace,
    env: { ...place.env, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
    settings: { model: 'openai/my-local-model', 'sandbox.driver': 'host' },
  });
  const session = await klaus.open({ ...given, attended: true });
  const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
  expect(opened!.limits).toEqual({ ...NO_LIMITS, ...limits });
});

test('`klaus run` without a terminal says its limits at its start, and which one ended it', async () => {
  using place = createTestHome();
  const read = { calls: [1, 2].map(() => ({ name: 'read_file', input: { path: 'README.md' } })) };
  await using server = await startServer({ steps: [{ when: { tools: true }, reply: read }] });
  const shown = await runKlaus(['run', 'hello', '--max-tool-calls', '1'], { place, server });
  expect(shown.code).toBe(5);
  expect(shown.stderr).toContain('limits: 200,000 tokens, 1 tool call');
  expect(shown.stderr).toContain('Limit reached: 1 tool call used.');
  const ended = await runKlaus(['run', '--json', 'hello'], { place, server });
  expect(ofType(toEvents(ended.stdout), 'session.opened')[0]!.limits).toEqual(OF_SCRIPTS);
});
