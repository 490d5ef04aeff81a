// Covers core/agent/model, core/agent/loop, sdk/open: models that answer while the one of a session cannot.
import { createModelServer, type ModelServer, type Script } from '@klaus/adapters/models';
import { createKlaus, type Event, type Klaus, type Session } from '@klaus/sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { createTestHome } from '../fixtures/test-home.ts';

type Fault = NonNullable<Script['steps'][number]['faults']>[number];

const WIRES = ['anthropic', 'openai', 'responses'] as const;
const MINUTE = 60_000;
const PRICE = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1 };
const TITLE = { when: { tools: false }, reply: { text: 'A title\nA summary' } };

afterEach(() => vi.useRealTimers());

/** A model that always fails in this way. */
function failing(fault: Fault, more: Partial<Script> = {}): Script {
  return {
    ...more,
    steps: [{ when: { tools: true }, reply: { text: 'never' }, faults: [{ ...fault, always: true }] }],
  };
}

/** A model that answers with its name. */
function answering(name: string, more: Partial<Script> = {}): Script {
  return { ...more, steps: [TITLE], fallback: { text: `I am ${name}.` } };
}

const OVERLOADED: Fault = { kind: 'status', status: 529 };

/** Klaus with one model server for each script: `scripted/NAME`. */
async function createFallbackEngine(
  scripts: Readonly<Record<string, Script>>,
  settings: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {},
) {
  const place = createTestHome({ 'a.txt': 'alpha\n', ...files });
  const servers: Record<string, ModelServer> = {};
  for (const [name, script] of Object.entries(scripts)) servers[name] = await createModelServer({ script });
  const klaus: Klaus = await createKlaus({
    home: place.home,
    cwd: place.workspace,
    env: place.env,
    settings: {
      model: 'scripted/first',
      'sandbox.driver': 'host',
      'retry.baseMs': 1,
      'retry.attempts': 2,
      ...settings,
    },
    scripted: async (name) => {
      const { price, contextWindow, maxOutputTokens, wire } = scripts[name]!;
      return { url: servers[name]!.url, price, contextWindow, maxOutputTokens, wire };
    },
  });
  return {
    klaus,
    /** Requests of turns that reached a server. */
    count: (name: string): number =>
      servers[name]!.requests.filter(({ json }) => (json as { tools?: unknown }).tools !== undefined).length,
    bodies: (name: string): string[] => servers[name]!.requests.map(({ body }) => body),
    async [Symbol.asyncDispose]() {
      await klaus.close();
      for (const server of Object.values(servers)) await server.close();
      place[Symbol.dispose]();
    },
  };
}

async function run(session: Session, prompt = 'go'): Promise<Event[]> {
  await session.prompt(prompt);
  await session.advance();
  return Array.fromAsync(session.events());
}

/** The models of the requests of turns, with their outcomes. */
function attemptsOf(events: readonly Event[]): string[] {
  return ofType(events, 'model.attempted').flatMap(({ purpose, model, outcome }) =>
    purpose === 'turn' ? [`${model.slice('scripted/'.length)} ${outcome}`] : [],
  );
}

const outcomeOf = (events: readonly Event[]) => ofType(events, 'run.finished').at(-1)!.outcome;

describe.each(WIRES)('%s', (wire) => {
  test.each<[string, Fault, string[]]>([
    ['an overload', OVERLOADED, ['first overloaded', 'first overloaded']],
    ['503', { kind: 'status', status: 503 }, ['first overloaded', 'first overloaded']],
    ['a long wait for the rate', { kind: 'status', status: 429, retryAfter: 3_600 }, ['first rate_limited']],
    ['an outage', { kind: 'status', status: 500 }, ['first server_error', 'first server_error']],
    ['a lost connection', { kind: 'reset', after: 0 }, ['first connection', 'first connection']],
    ['no credit', { kind: 'status', status: 402 }, ['first invalid_request']],
    ['an unknown model', { kind: 'status', status: 404, message: 'model: gone-1' }, ['first invalid_request']],
  ])('%s is passed on to the fallback, whose name, price and limits count', async (_, fault, failed) => {
    await using engine = await createFallbackEngine(
      { first: failing(fault, { wire }), second: answering('second', { wire, price: PRICE, maxOutputTokens: 2_000 }) },
      { fallback: ['scripted/second'] },
    );
    const session = await engine.klaus.open({ limits: { usd: 1 } });
    const events = await run(session);
    expect(outcomeOf(events)).toBe('done');
    expect(attemptsOf(events)).toEqual([...failed, 'second ok']);
    expect(engine.count('first')).toBe(failed.length);
    const started = ofType(events, 'turn.started').at(-1)!;
    expect(started).toMatchObject({ model: 'scripted/second', modelInfo: { maxOutputTokens: 2_000 } });
    const answered = ofType(events, 'model.attempted').find(
      ({ outcome, purpose }) => outcome === 'ok' && purpose === 'turn',
    )!;
    expect(answered.usd).toBeGreaterThan(0);
    expect(answered.usd).toBeLessThanOrEqual(started.reserved.usd!);
    const { rows } = await engine.klaus.usage({ session: session.id, by: 'model' });
    expect(rows.find(({ key }) => key === 'scripted/second')).toMatchObject({ usd: expect.any(Number) as number });
    expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  });

  test.each<[string, Fault, string]>([
    ['an error of the request', { kind: 'status', status: 400 }, 'invalid_request'],
    ['a rejected key', { kind: 'status', status: 401 }, 'auth'],
  ])('%s is not passed on', async (_, fault, code) => {
    await using engine = await createFallbackEngine(
      { first: failing(fault, { wire }), second: answering('second', { wire }) },
      { fallback: ['scripted/second'] },
    );
    const events = await run(await engine.klaus.open());
    expect(outcomeOf(events)).toBe('model_failed');
    expect(attemptsOf(events)).toEqual([`first ${code}`]);
    expect(engine.count('second')).toBe(0);
  });
});

test('without a fallback the failure ends the run', async () => {
  await using engine = await createFallbackEngine({ first: failing(OVERLOADED) });
  const events = await run(await engine.klaus.open());
  expect(outcomeOf(events)).toBe('model_failed');
  expect(ofType(events, 'session.opened')[0]).not.toHaveProperty('fallback');
});

test('the models are tried in their order; a rejected key of one does not keep the next from answering', async () => {
  await using engine = await createFallbackEngine({
    first: failing(OVERLOADED),
    second: failing({ kind: 'status', status: 401 }),
    third: answering('third'),
  });
  const session = await engine.klaus.open({ fallback: ['scripted/second', 'scripted/third'] });
  const events = await run(session);
  expect(attemptsOf(events)).toEqual(['first overloaded', 'first overloaded', 'second auth', 'third ok']);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('if no model answers the run ends, and the next one begins with the first model', async () => {
  await using engine = await createFallbackEngine(
    { first: failing(OVERLOADED), second: failing({ kind: 'status', status: 500 }) },
    { fallback: ['scripted/second'] },
  );
  const session = await engine.klaus.open();
  const failed = ['first overloaded', 'first overloaded', 'second server_error', 'second server_error'];
  const events = await run(session);
  expect(outcomeOf(events)).toBe('model_failed');
  expect(attemptsOf(events)).toEqual(failed);
  expect(attemptsOf(await run(session))).toEqual([...failed, ...failed]);
});

test('the fallback answers until the pause ends; then one request tries the first model, after a longer pause again', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await using engine = await createFallbackEngine(
    { first: failing(OVERLOADED), second: answering('second') },
    { fallback: ['scripted/second'] },
  );
  const session = await engine.klaus.open();
  const later = async (minutes: number): Promise<string[]> => {
    const before = attemptsOf(await Array.fromAsync(session.events())).length;
    vi.setSystemTime(Date.now() + minutes * MINUTE);
    return attemptsOf(await run(session)).slice(before);
  };
  expect(await later(0)).toEqual(['first overloaded', 'first overloaded', 'second ok']);
  expect(await later(4)).toEqual(['second ok']);
  expect(await later(2)).toEqual(['first overloaded', 'second ok']);
  expect(await later(6)).toEqual(['second ok']);
  expect(await later(5)).toEqual(['first overloaded', 'second ok']);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('the first model answers again after its pause, and remains', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await using engine = await createFallbackEngine(
    {
      first: {
        steps: [TITLE, { when: { turn: 0 }, reply: { text: 'never' }, faults: [OVERLOADED, OVERLOADED] }],
        fallback: { text: 'I am first.' },
      },
      second: answering('second'),
    },
    { fallback: ['scripted/second'] },
  );
  const session = await engine.klaus.open();
  expect(attemptsOf(await run(session)).at(-1)).toBe('second ok');
  vi.setSystemTime(Date.now() + 6 * MINUTE);
  await run(session);
  expect(attemptsOf(await run(session)).slice(-3)).toEqual(['second ok', 'first ok', 'first ok']);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('an unknown model is not tried again before the user chooses another one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await using engine = await createFallbackEngine(
    {
      first: failing({ kind: 'status', status: 404, message: 'model: gone-1' }),
      second: answering('second'),
      third: answering('third'),
    },
    { fallback: ['scripted/second'] },
  );
  const session = await engine.klaus.open();
  await run(session);
  vi.setSystemTime(Date.now() + 24 * 60 * MINUTE);
  await run(session);
  await session.send({ type: 'change', model: 'scripted/third' });
  expect(attemptsOf(await run(session))).toEqual(['first invalid_request', 'second ok', 'second ok', 'third ok']);
});

test('models that may not be used are left out with a notice, at the start and later', async () => {
  await using engine = await createFallbackEngine(
    { first: failing(OVERLOADED), second: answering('second'), third: answering('third') },
    {
      fallback: ['anthropic/claude-x', 'scripted/second', 'scripted/third'],
      'models.allow': ['scripted/first', 'scripted/third'],
    },
  );
  const session = await engine.klaus.open();
  const opened = ofType(await Array.fromAsync(session.events()), 'session.opened')[0]!;
  expect(opened.fallback).toEqual(['scripted/third']);
  await session.send({ type: 'change', fallback: ['scripted/second', 'scripted/third'] });
  const events = await run(session);
  expect(attemptsOf(events).at(-1)).toBe('third ok');
  expect(engine.count('second')).toBe(0);
  const notices = ofType(events, 'notice').map(({ text }) => text);
  expect(notices.filter((text) => text.includes('anthropic/claude-x'))).toHaveLength(1);
  expect(notices.filter((text) => text.includes('scripted/second'))).toHaveLength(2);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('the grant of a session limits its fallback', async () => {
  await using engine = await createFallbackEngine(
    { first: failing(OVERLOADED), second: answering('second') },
    { fallback: ['scripted/second'] },
  );
  const session = await engine.klaus.open({ grant: 'file-operations · model(scripted/first)' });
  const events = await run(session);
  expect(outcomeOf(events)).toBe('model_failed');
  expect(engine.count('second')).toBe(0);
});

test('a history that is too long for the fallback is compacted first', async () => {
  const second = answering('second', { contextWindow: 20_000 });
  await using engine = await createFallbackEngine(
    {
      first: {
        steps: [TITLE, { when: { turn: 3 }, reply: { text: 'never' }, faults: [{ ...OVERLOADED, always: true }] }],
        fallback: { text: 'Noted.' },
      },
      second,
    },
    { fallback: ['scripted/second'] },
  );
  const session = await engine.klaus.open();
  for (let at = 0; at < 3; at++) await run(session, `part ${at}: ${'word '.repeat(4_000)}`);
  const events = await run(session, 'and now?');
  expect(outcomeOf(events)).toBe('done');
  expect(attemptsOf(events).at(-1)).toBe('second ok');
  expect(ofType(events, 'context.compacted').at(-1)!.dropped).toBeGreaterThan(0);
  for (const body of engine.bodies('second')) expect(body.length / 3).toBeLessThan(20_000);
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test('the limits of a session hold for the fallback', async () => {
  const dear = { input: 1_000, output: 10_000, cacheRead: 1_000, cacheWrite: 1_000 };
  await using engine = await createFallbackEngine(
    { first: failing(OVERLOADED), second: answering('second', { price: dear }) },
    { fallback: ['scripted/second'] },
  );
  const events = await run(await engine.klaus.open({ limits: { usd: 0.5 } }));
  expect(outcomeOf(events)).toBe('limit');
  expect(engine.count('second')).toBe(0);
});

test('an outage is waited out only where no other model can answer', async () => {
  await using engine = await createFallbackEngine(
    { first: failing(OVERLOADED), second: answering('second') },
    { fallback: ['scripted/second'], 'retry.waitMs': 3_600_000 },
  );
  const events = await run(await engine.klaus.open());
  expect(attemptsOf(events)).toEqual(['first overloaded', 'first overloaded', 'second ok']);
});

test.each([
  ['anthropic', 'responses'],
  ['responses', 'openai'],
  ['responses', 'anthropic'],
] as const)('the reasoning of a model of the wire %s is not sent to one of %s', async (from, to) => {
  await using engine = await createFallbackEngine(
    {
      first: {
        wire: from,
        steps: [
          TITLE,
          {
            when: { turn: 0 },
            reply: { thinking: 'hmm', encrypted: 'SEALED', calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
          },
          { when: { turn: 1 }, reply: { text: 'never' }, faults: [{ ...OVERLOADED, always: true }] },
        ],
      },
      second: answering('second', { wire: to }),
    },
    { fallback: ['scripted/second'] },
  );
  const events = await run(await engine.klaus.open());
  expect(attemptsOf(events)).toEqual(['first ok', 'first overloaded', 'first overloaded', 'second ok']);
  expect(engine.bodies('second').join('')).not.toContain('SEALED');
  expect(engine.bodies('second')[0]).toContain('alpha');
});

test('an agent has its own fallback; one of the project needs the trust of the user for it', async () => {
  const definition = '---\nname: worker\ndescription: works\nfallback: scripted/third\n---\nYou work.\n';
  await using engine = await createFallbackEngine(
    { first: failing(OVERLOADED), second: answering('second'), third: answering('third') },
    { fallback: ['scripted/second'] },
    { '.klaus/agents/worker.md': definition },
  );
  await expect(engine.klaus.open({ agent: 'worker' })).rejects.toThrow('klaus agents trust');
  const own = await engine.klaus.open({ agent: 'worker', fallback: ['scripted/second'] });
  expect(ofType(await Array.fromAsync(own.events()), 'session.opened')[0]!.fallback).toEqual(['scripted/second']);
  const trusted = await engine.klaus.open({ agent: 'worker', trustCommand: true });
  expect(ofType(await Array.fromAsync(trusted.events()), 'session.opened')[0]!.fallback).toEqual(['scripted/third']);
});
