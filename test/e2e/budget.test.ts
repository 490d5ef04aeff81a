// Covers core/agent/budget: limits, reservations and offers.
import type { Script } from '@klaus/adapters/models';
import {
  createKlaus,
  isCharged,
  toCountedTokens,
  type Event,
  type EventOf,
  NO_LIMITS,
  type Limits,
  type Session,
} from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const LONG_PROMPT = `explain ${'everything '.repeat(20)}`;
const LONG_ANSWER = 'word '.repeat(100);

function postsOf({ server }: Pick<TestEngine, 'server'>): number {
  return server.requests.filter((request) => request.method === 'POST').length;
}

/** Leaves as a crash would, as soon as an event like this is durable. */
async function leaveAt(session: Session, wanted: (event: Event) => boolean): Promise<AbortSignal> {
  const controller = new AbortController();
  const last = (await Array.fromAsync(session.events())).at(-1)!.seq;
  const stop = session.subscribe(last, (event) => {
    if (!wanted(event)) return;
    stop();
    controller.abort();
  });
  return controller.signal;
}

const isFor =
  (purpose: EventOf<'model.requested'>['purpose']) =>
  (event: Event): boolean =>
    event.type === 'model.requested' && event.purpose === purpose;

/** Charges of one purpose by how they ended. */
async function chargesOf(session: Session, purpose: EventOf<'model.attempted'>['purpose']) {
  return ofType(await Array.fromAsync(session.events()), 'model.attempted')
    .filter((event) => event.purpose === purpose)
    .map(({ outcome, usage, usd }) => ({ outcome, tokens: toCountedTokens(usage), usd }));
}

/** Reads until the history is full. */
const FILLING: Script = {
  price: PRICE,
  contextWindow: 4_000,
  maxOutputTokens: 500,
  steps: [{ when: { tools: false }, reply: { text: 'The user wants to read on.' } }],
  fallback: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
};
const FILES = { 'README.md': 'a line of a file\n'.repeat(100) };

describe('a crash during a request of the engine’s own', () => {
  test('for a title is charged at what was reserved, and the title is asked for again', async () => {
    await using engine = await createTestEngine({
      script: {
        price: PRICE,
        steps: [{ when: { tools: false }, reply: { text: 'A title' } }],
        fallback: { text: LONG_ANSWER },
      },
    });
    const session = await engine.klaus.open();
    await session.prompt(LONG_PROMPT);
    await session.advance({ signal: await leaveAt(session, isFor('title')) });
    const [requested] = ofType(await Array.fromAsync(session.events()), 'model.requested');
    const { tokens, usd } = requested!.reserved;
    expect(await engine.klaus.usage({ session: session.id })).toMatchObject({
      reserved: [{ purpose: 'title', tokens, usd }],
      budget: [
        { limit: 'tokens', reserved: tokens },
        { limit: 'usd', reserved: usd },
      ],
    });
    const { workspace } = (await engine.klaus.store.session(session.id))!;
    expect((await engine.klaus.usage({ workspaces: [workspace] })).reserved).toMatchObject([{ purpose: 'title' }]);
    expect((await engine.klaus.usage({ workspaces: ['/elsewhere'] })).reserved).toEqual([]);
    await session.advance();
    expect(await chargesOf(session, 'title')).toMatchObject([{ outcome: 'abandoned', tokens, usd }, { outcome: 'ok' }]);
    expect(ofType(await Array.fromAsync(session.events()), 'session.changed').at(-1)).toMatchObject({
      title: 'A title',
    });
    expect(await engine.klaus.usage({ session: session.id })).toMatchObject({
      rows: [{ abandoned: { requests: 1, inputTokens: tokens, usd } }],
      reserved: [],
    });
  });

  test('for a compaction too', async () => {
    await using engine = await createTestEngine({
      files: FILES,
      script: FILLING,
    });
    const session = await engine.klaus.open({ limits: { turns: 6 } });
    await session.prompt('read on');
    await session.advance({ signal: await leaveAt(session, isFor('compaction')) });
    const { reserved } = ofType(await Array.fromAsync(session.events()), 'model.requested').find(isFor('compaction'))!;
    await session.advance();
    expect((await chargesOf(session, 'compaction')).slice(0, 2)).toMatchObject([
      { outcome: 'abandoned', ...reserved },
      { outcome: 'ok' },
    ]);
    const { usage } = outcomeOf(await Array.fromAsync(session.events()))!;
    const all = ofType(await Array.fromAsync(session.events()), 'model.attempted').filter(
      ({ purpose }) => purpose !== 'title',
    );
    expect(toCountedTokens(usage)).toBe(all.reduce((sum, event) => sum + toCountedTokens(event.usage), 0));
  });
});

describe('where the room is short', () => {
  test('a title is made of the session’s own words, without a request', async () => {
    await using engine = await createTestEngine({
      script: { price: PRICE, steps: [], fallback: { text: LONG_ANSWER, usage: { cacheWrite: 9_800, output: 100 } } },
    });
    const session = await engine.klaus.open({ limits: { tokens: 10_000 } });
    await session.prompt(LONG_PROMPT);
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
    expect(postsOf(engine)).toBe(1);
    expect(ofType(await Array.fromAsync(session.events()), 'session.changed').at(-1)).toMatchObject({
      title: expect.stringMatching(/^explain everything/),
      summary: expect.stringMatching(/^word word/),
    });
  });

  const fillUp = async (engine: TestEngine, onAsk: 'deny' | 'wait'): Promise<Session> => {
    const session = await engine.klaus.open();
    await session.prompt('read on', { onAsk });
    // Up to where the history is full; then the limit is drawn right behind what was spent.
    await session.advance({ signal: await leaveAt(session, isFor('compaction')) });
    const spent = ofType(await Array.fromAsync(session.events()), 'model.attempted').reduce(
      (sum, { usage }) => sum + toCountedTokens(usage),
      0,
    );
    const open = ofType(await Array.fromAsync(session.events()), 'model.requested').at(-1)!.reserved.tokens;
    await session.send({ type: 'limits', limits: { tokens: spent + open + 100 } });
    return session;
  };

  test('history is shortened without a model without an approver', async () => {
    await using engine = await createTestEngine({ files: FILES, script: FILLING });
    const session = await fillUp(engine, 'deny');
    const before = postsOf(engine);
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'limit' } });
    expect(postsOf(engine)).toBe(before);
    expect(ofType(await Array.fromAsync(session.events()), 'notice').at(-1)!.text).toContain(
      'shortened without a model',
    );
  });

  test('and waits for an approver without a change of the history', async () => {
    await using engine = await createTestEngine({ files: FILES, script: FILLING });
    const session = await fillUp(engine, 'wait');
    const parked = await session.advance();
    expect(parked).toMatchObject({ state: 'parked', approvals: [{ subject: { kind: 'limit', limit: 'tokens' } }] });
    expect(ofType(await Array.fromAsync(session.events()), 'context.compacted')).toHaveLength(0);
    expect(await session.advance()).toMatchObject({ state: 'parked' });
    const asked = ofType(await Array.fromAsync(session.events()), 'approval.asked');
    expect(asked).toHaveLength(1);
    await expect(engine.klaus.answer(asked[0]!.approval, 'approved')).rejects.toMatchObject({ code: 'usage' });
    expect(await session.advance()).toMatchObject({ state: 'parked' });
    await engine.klaus.answer(asked[0]!.approval, 'approved', { raise: true });
    await session.advance();
    expect(await chargesOf(session, 'compaction')).toMatchObject([{ outcome: 'abandoned' }, { outcome: 'ok' }]);
  });

  test('an answer is kept as short as the dollars that are left', async () => {
    await using engine = await createTestEngine({ script: { price: PRICE, steps: [], fallback: { text: 'Short.' } } });
    const session = await engine.klaus.open({ limits: { usd: 0.05 } });
    await session.prompt('go');
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
    const [started] = ofType(await Array.fromAsync(session.events()), 'turn.started');
    expect(started!.reserved.usd).toBeLessThanOrEqual(0.05);
    expect(JSON.parse(engine.server.requests[0]!.body)).toMatchObject({ max_tokens: expect.any(Number) });
    expect((JSON.parse(engine.server.requests[0]!.body) as { max_tokens: number }).max_tokens).toBeLessThan(8_192);
  });
});

describe('a limit that is reached', () => {
  const READS: Script = {
    price: PRICE,
    steps: [],
    fallback: { calls: ['a', 'b', 'c', 'd'].map((name) => ({ name: 'read_file', input: { path: `${name}.txt` } })) },
  };
  const files = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd' };

  test.each<[string, Partial<Limits>]>([
    ['tokens', { tokens: 9_000 }],
    ['usd', { usd: 0.06 }],
    ['toolCalls', { toolCalls: 3 }],
    ['turns', { turns: 1 }],
  ])('%s: pauses, offers a limit, and continues up to that limit', async (limit, limits) => {
    await using engine = await createTestEngine({ files, script: READS });
    const session = await engine.klaus.open({ limits: { tokens: 0, toolCalls: 0, ...limits } });
    await session.prompt('read on', { onAsk: 'wait' });
    for (let round = 1; round <= 3; round++) {
      expect(await session.advance()).toMatchObject({ state: 'parked', approvals: [{ subject: { limit } }] });
      const asked = ofType(await Array.fromAsync(session.events()), 'approval.asked');
      expect(asked).toHaveLength(round);
      const { subject, title } = asked.at(-1)!;
      expect(title).toMatch(
        /^(?:\$?[\d,.]+ of )?\$?[\d,.]+(?: tokens| tool calls?| turns?)? used\. Allow \$?[\d,.]+ more\?$/,
      );
      if (subject.kind !== 'limit') throw new Error('another question');
      expect(await amountOf(session, subject.limit)).toBeLessThanOrEqual(subject.cap);
      // Twice, as from two terminals: the second says nothing more.
      await engine.klaus.answer(asked.at(-1)!.approval, 'approved', { raise: true });
      await session.send({ type: 'approve', approval: asked.at(-1)!.approval, answer: 'approved', by: 'other' });
      const raised = await next(session);
      expect(raised[subject.limit]).toBe(subject.offer);
    }
  });

  test('minutes: the request that passes the limit is the last one, and the offer continues', async () => {
    await using engine = await createTestEngine({ files, script: READS });
    const minutes = 1e-9;
    const session = await engine.klaus.open({ limits: { tokens: 0, toolCalls: 0, minutes } });
    await session.prompt('read on', { onAsk: 'wait' });
    expect(await session.advance()).toMatchObject({
      state: 'parked',
      approvals: [{ subject: { limit: 'minutes', cap: minutes, offer: 1 } }],
    });
    expect(await amountOf(session, 'turns')).toBe(1);
    expect(await amountOf(session, 'minutes')).toBeGreaterThan(minutes);
    const [asked] = ofType(await Array.fromAsync(session.events()), 'approval.asked');
    await engine.klaus.answer(asked!.approval, 'approved', { raise: true });
    expect(await next(session)).toMatchObject({ minutes: 1 });
  });

  /** The limits in force after what was sent is taken in; leaves before anything else happens. */
  async function next(session: Session): Promise<Limits> {
    await session.advance({
      signal: await leaveAt(session, (event) => event.type === 'session.changed' && !!event.limits),
    });
    const { limits } = ofType(await Array.fromAsync(session.events()), 'session.changed').findLast(
      (event) => event.limits,
    )!;
    return { ...NO_LIMITS, ...limits };
  }

  test('an offer that comes after the user gave more himself changes nothing', async () => {
    await using engine = await createTestEngine({ files, script: READS });
    const session = await engine.klaus.open({ limits: { toolCalls: 3 } });
    await session.prompt('read on', { onAsk: 'wait' });
    await session.advance();
    const [asked] = ofType(await Array.fromAsync(session.events()), 'approval.asked');
    await session.send({ type: 'limits', limits: { toolCalls: 4 } });
    await session.send({ type: 'approve', approval: asked!.approval, answer: 'approved', by: 'test' });
    expect(await session.advance()).toMatchObject({ state: 'parked', approvals: [{ subject: { cap: 4 } }] });
    expect(await amountOf(session, 'toolCalls')).toBe(4);
  });

  test('nothing is sent under a limit in dollars when a price is not known', async () => {
    using place = createTestHome();
    await using klaus = await createKlaus({
      home: place.home,
      cwd: place.workspace,
      // No server listens: a request would end the run with another reason.
      env: { ...place.env, ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
      settings: { model: 'anthropic/unknown', 'sandbox.driver': 'host' },
    });
    const session = await klaus.open();
    await session.send({ type: 'limits', limits: { usd: 5 } });
    await session.prompt('go');
    expect(await session.advance()).toMatchObject({
      finished: { outcome: 'failed', reason: expect.stringContaining('prices.anthropic/unknown') },
    });
    expect(ofType(await Array.fromAsync(session.events()), 'turn.started')).toHaveLength(0);
  });
});

/** What the log says was used of a limit. */
async function amountOf(session: Session, limit: keyof Limits): Promise<number> {
  const attempts = ofType(await Array.fromAsync(session.events()), 'model.attempted').filter(isCharged);
  switch (limit) {
    case 'tokens':
      return attempts.reduce((sum, { usage }) => sum + toCountedTokens(usage), 0);
    case 'usd':
      return attempts.reduce((sum, { usd }) => sum + usd!, 0);
    case 'toolCalls':
      return ofType(await Array.fromAsync(session.events()), 'tool.finished').length;
    case 'turns':
      return ofType(await Array.fromAsync(session.events()), 'turn.started').length;
    case 'minutes': {
      // Without a retry, each request of these sessions is one turn.
      const starts = ofType(await Array.fromAsync(session.events()), 'turn.started');
      return starts.reduce((sum, { at }, index) => sum + attempts[index]!.at - at, 0) / 60_000;
    }
  }
}
