// Covers adapters/tools/web, adapters/models, core/agent/model, core/agent/replay: web_search by the search of the model provider.
import type { Script } from '@klaus/adapters/models';
import type { Event, Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine, type TestEngineOptions } from '../fixtures/engine.ts';
import { play } from '../fixtures/play.ts';

const QUERY = 'parser of libfoo';
const RESULTS = [
  { title: 'Parser', url: 'https://docs.example/parser', snippet: 'The parser has an option called strict.' },
  { title: 'Guide', url: 'https://docs.example/guide', snippet: 'How to run it.' },
];
const SHOWN =
  '1. Parser\n   https://docs.example/parser\n   The parser has an option called strict.\n2. Guide\n   https://docs.example/guide\n   How to run it.';
const GRANT = 'file-operations, web-access, net(127.0.0.1, 0)';
const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };

const toScript = (more: Partial<Script> = {}, faults?: Script['steps'][number]['faults']): Script => ({
  steps: [
    {
      when: { search: true },
      reply: { search: RESULTS, usage: { input: 900, output: 100 } },
      ...(faults && { faults }),
    },
    { when: { turn: 0, tools: true }, reply: { calls: [{ name: 'web_search', input: { query: QUERY } }] } },
  ],
  fallback: { text: 'Done.' },
  ...more,
});

const open = (script: Script, settings: TestEngineOptions['settings'] = {}): Promise<TestEngine> =>
  createTestEngine({
    script,
    settings: { approve: 'auto', checkpoint: 'manual', 'web.search': 'provider', ...settings },
  });

/** Calls `act` when the request of a search is in the log. */
async function whenSearching(session: Session, act: () => void): Promise<() => void> {
  const { seq } = (await Array.fromAsync(session.events())).at(-1)!;
  return session.subscribe(seq, (event) => {
    if (event.type === 'model.requested' && event.purpose === 'search') act();
  });
}

async function run(engine: TestEngine) {
  const session = await engine.klaus.open({ grant: GRANT });
  await play(engine.klaus, session, { user: 'none', prompt: `Look for the ${QUERY}` });
  const events = await Array.fromAsync(session.events());
  return { session, events, finished: ofType(events, 'tool.finished') };
}

const attemptsOf = (events: Event[]) => ofType(events, 'model.attempted').filter(({ purpose }) => purpose === 'search');
const searchesOf = (engine: TestEngine) => engine.server.requests.filter(({ step }) => step === 1);

test.each(['anthropic', 'openai', 'responses'] as const)(
  'over %s it is a request of its own, charged, untrusted, and replayed',
  async (wire) => {
    await using engine = await open(toScript({ wire, price: PRICE }));
    const { session, events, finished } = await run(engine);
    expect(finished[0]).toMatchObject({
      outcome: 'ok',
      untrusted: { addresses: RESULTS.map(({ url }) => url), isWeb: true },
      detail: { service: 'provider', results: 2 },
    });
    expect(finished[0]!.output).toContain(SHOWN);
    const [attempted] = attemptsOf(events);
    expect(attempted).toMatchObject({ outcome: 'ok', usage: { input: 900, output: 100 } });
    // OpenRouter reports the price of its searches in its exact cost; the script sends none.
    expect(attempted!.usd).toBeCloseTo(wire === 'openai' ? 0.001 : 0.011);
    expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
    const [search] = searchesOf(engine);
    expect(search!.body).toContain(QUERY);
    // The tools and the history of turns are not in it, and the tool of the provider is in no turn.
    expect(search!.body).not.toContain('tool_search');
    const turns = engine.server.requests.filter(({ body }) => body.includes('tool_search'));
    expect(turns).toHaveLength(2);
    for (const { json } of turns) {
      const { tools } = json as { tools: { type?: string }[] };
      expect(tools.filter(({ type }) => type?.includes('web_search'))).toEqual([]);
    }
    expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  },
);

test('the session asks before it sends data out after it', async () => {
  const script = toScript();
  script.steps.push({
    when: { turn: 1 },
    reply: { calls: [{ name: 'web_search', input: { query: 'secret of the workspace' } }] },
  });
  await using engine = await open(script);
  const { events, finished } = await run(engine);
  expect(ofType(events, 'gate.decided').at(-1)).toMatchObject({ verdict: 'ask', rule: 'taint' });
  expect(finished.map(({ outcome }) => outcome)).toEqual(['ok', 'denied']);
  expect(searchesOf(engine)).toHaveLength(1);
});

test('a failure is retried, and each attempt is in the log', async () => {
  await using engine = await open(toScript({ price: PRICE }, [{ kind: 'status', status: 529 }]));
  const { session, events, finished } = await run(engine);
  expect(attemptsOf(events).map(({ outcome }) => outcome)).toEqual(['overloaded', 'ok']);
  expect(finished[0]).toMatchObject({ outcome: 'ok' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('a refusal is an error of the tool, and the run continues', async () => {
  await using engine = await open(toScript({}, [{ kind: 'status', status: 400, always: true }]));
  const { session, events, finished } = await run(engine);
  expect(attemptsOf(events)).toMatchObject([{ outcome: 'invalid_request', usd: 0 }]);
  expect(finished[0]).toMatchObject({ outcome: 'error', changes: [] });
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('an answer without a search is an error of the tool', async () => {
  const script = toScript();
  script.steps[0]!.reply = { text: 'I know that already.' };
  await using engine = await open(script);
  const { events, finished } = await run(engine);
  expect(attemptsOf(events)).toMatchObject([{ outcome: 'ok' }]);
  expect(finished[0]).toMatchObject({ outcome: 'error', changes: [] });
});

test.each([
  ['tokens', { 'limits.tokens': 30_000, maxOutputTokens: 1_024 }],
  ['dollars', { 'limits.usd': 0.035, maxOutputTokens: 1_024 }],
])('the limit of %s includes what the search may cost', async (_, settings) => {
  await using engine = await open(toScript({ price: PRICE }), settings);
  const { session, events, finished } = await run(engine);
  expect(finished[0]).toMatchObject({ outcome: 'error', detail: { code: 'limit' } });
  expect(searchesOf(engine)).toHaveLength(0);
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('a crash during the search is charged, and the search is repeated', async () => {
  await using engine = await open(toScript({ price: PRICE }));
  const session = await engine.klaus.open({ grant: GRANT });
  await session.prompt(`Look for the ${QUERY}`, { onAsk: 'deny' });
  const controller = new AbortController();
  const stop = await whenSearching(session, () => controller.abort());
  await session.advance({ signal: controller.signal });
  stop();
  await engine.reopen();
  const again = await engine.klaus.session(session.id);
  await again.advance();
  const events = await Array.fromAsync(again.events());
  expect(attemptsOf(events).map(({ outcome }) => outcome)).toEqual(['abandoned', 'ok']);
  expect(ofType(events, 'tool.finished')).toMatchObject([{ outcome: 'ok' }]);
  expect(await again.replay()).toMatchObject({ outcome: 'equal' });
});

test('a cancel ends the search', async () => {
  await using engine = await open(toScript({}, [{ kind: 'hang', after: 0, keepAlive: false, always: true }]));
  const session = await engine.klaus.open({ grant: GRANT });
  await session.prompt(`Look for the ${QUERY}`, { onAsk: 'deny' });
  const stop = await whenSearching(session, () => void session.send({ type: 'cancel' }));
  await session.advance();
  stop();
  const events = await Array.fromAsync(session.events());
  expect(attemptsOf(events)).toMatchObject([{ outcome: 'cancelled' }]);
  expect(ofType(events, 'tool.finished')).toMatchObject([{ outcome: 'cancelled' }]);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});
