// Covers core/agent/loop: cancels, steering and crashes in a run.
import { execFileSync } from 'node:child_process';
import { createModelServer, type Script } from '@klaus/adapters/models';
import { createKlaus, defineTool, type Event, type Session, type Tool } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { createTestHome } from '../fixtures/test-home.ts';

/** Calls `act` once, as soon as an event like this is durable. */
function onceSeen(session: Session, wanted: (event: Event) => boolean, act: () => unknown): void {
  let done = false;
  session.subscribe(0, (event) => {
    if (done || !wanted(event)) return;
    done = true;
    act();
  });
}

function postsOf({ server }: Pick<TestEngine, 'server'>): number {
  return server.requests.filter((request) => request.method === 'POST').length;
}

/** A tool that does what the test says. */
function createTool(more: Partial<Tool> & Pick<Tool, 'name' | 'run'>): Tool {
  return defineTool({ description: 'test', input: z.unknown(), effects: ['execute'], resume: 'tell', ...more });
}

const ONE_CALL = (name: string, input: Record<string, string> = {}): Script => ({
  steps: [{ when: { turn: 0 }, reply: { calls: [{ name, input }] } }],
  fallback: { text: 'That is all.' },
});

describe('cancel', () => {
  test('one that comes while the inbox is drained is not missed', async () => {
    await using engine = await createTestEngine({ script: { steps: [], fallback: { text: 'never asked for' } } });
    const session = await engine.klaus.open();
    await session.send({ type: 'change', pinned: true });
    await session.prompt('first');
    onceSeen(
      session,
      (event) => event.type === 'session.changed',
      () => session.send({ type: 'cancel' }),
    );
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'cancelled' } });
    expect(postsOf(engine)).toBe(0);
  });

  test('one that comes while a call is looked at keeps it from beginning', async () => {
    let ran = false;
    const held: { session?: Session } = {};
    const tool = createTool({
      name: 'door',
      prepare: async () => {
        await held.session!.send({ type: 'cancel' });
        return { title: 'door', access: [] };
      },
      run: async () => {
        ran = true;
        return { text: 'went through' };
      },
    });
    await using engine = await createTestEngine({ tools: [tool], script: ONE_CALL('door') });
    const session = await engine.klaus.open();
    held.session = session;
    await session.prompt('go');
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'cancelled', toolCalls: 0 } });
    expect(ran).toBe(false);
    expect(ofType(await Array.fromAsync(session.events()), 'tool.started')).toHaveLength(0);
  });

  test('a run that changed files and is cancelled ends with a checkpoint too', async () => {
    const wait = createTool({
      name: 'wait',
      run: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: 'stopped', isError: true }))),
    });
    await using engine = await createTestEngine({
      tools: [wait],
      script: {
        steps: [
          { when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a' } }] } },
          { when: { turn: 1 }, reply: { calls: [{ name: 'wait', input: {} }] } },
        ],
      },
    });
    execFileSync('git', ['init', '-q', engine.place.workspace]);
    const session = await engine.klaus.open();
    await session.prompt('write');
    onceSeen(
      session,
      (event) => event.type === 'tool.started' && event.name === 'wait',
      () => session.send({ type: 'cancel' }),
    );
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'cancelled' } });
    expect(ofType(await Array.fromAsync(session.events()), 'workspace.committed')).toHaveLength(1);
    const types = (await Array.fromAsync(session.events())).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['workspace.committed', 'run.finished', 'workspace.snapshotted']);
  });

  test('one that comes when the work is done does not hide how it ended', async () => {
    await using engine = await createTestEngine({ script: { steps: [], fallback: { text: 'Done.' } } });
    const session = await engine.klaus.open();
    await session.prompt('go');
    onceSeen(
      session,
      (event) => event.type === 'session.changed' && event.summary !== undefined,
      () => session.send({ type: 'cancel' }),
    );
    expect(await session.advance()).toMatchObject({ state: 'idle', finished: { outcome: 'done' } });
    expect(await session.isRunnable()).toBe(false);
  });
});

describe('approvals', () => {
  test('a call that was rejected does not run, also where the mode has changed since', async () => {
    let ran = false;
    const tool = createTool({ name: 'door', run: async () => ((ran = true), { text: 'went through' }) });
    await using engine = await createTestEngine({ tools: [tool], script: ONE_CALL('door') });
    const session = await engine.klaus.open({ mode: 'ask' });
    await session.prompt('go', { onAsk: 'wait' });
    await session.advance();
    await engine.klaus.answer(
      ofType(await Array.fromAsync(session.events()), 'approval.asked')[0]!.approval,
      'rejected',
    );
    await session.send({ type: 'change', mode: 'auto' });
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'denied' } });
    expect(ran).toBe(false);
  });

  test('a message that waits behind a question makes no session runnable', async () => {
    const tool = createTool({ name: 'door', run: async () => ({ text: 'went through' }) });
    await using engine = await createTestEngine({ tools: [tool], script: ONE_CALL('door') });
    const session = await engine.klaus.open({ mode: 'ask' });
    await session.prompt('go', { onAsk: 'wait' });
    expect(await session.isRunnable()).toBe(true);
    await session.advance();
    await session.prompt('and this', { delivery: 'queue' });
    expect(await session.isRunnable()).toBe(false);
    await engine.klaus.answer(
      ofType(await Array.fromAsync(session.events()), 'approval.asked')[0]!.approval,
      'approved',
    );
    expect(await session.isRunnable()).toBe(true);
    await session.advance();
    expect(ofType(await Array.fromAsync(session.events()), 'run.finished')).toHaveLength(2);
  });

  test('a call with a secret that a crash cut off is asked about once, and waits', async () => {
    const key = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('');
    const leave = new AbortController();
    const tool = createTool({
      name: 'door',
      resume: 'repeat',
      run: async () => (leave.abort(), { text: 'went through' }),
    });
    await using engine = await createTestEngine({ tools: [tool], script: ONE_CALL('door', { key }) });
    const session = await engine.klaus.open();
    await session.prompt('go', { onAsk: 'wait' });
    await session.advance({ signal: leave.signal });
    expect(await session.advance()).toMatchObject({ state: 'parked', approvals: [{ subject: { name: 'door' } }] });
    expect(await session.advance()).toMatchObject({ state: 'parked' });
    const asked = ofType(await Array.fromAsync(session.events()), 'approval.asked');
    expect(asked).toHaveLength(1);
    await engine.klaus.answer(asked[0]!.approval, 'approved');
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  });
});

test('a detail that no log can hold is left out, and the result stays', async () => {
  const tool = createTool({ name: 'door', run: async () => ({ text: 'went through', detail: { count: 1n } }) });
  await using engine = await createTestEngine({ tools: [tool], script: ONE_CALL('door') });
  const session = await engine.klaus.open();
  await session.prompt('go');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  const [finished] = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  expect(finished).toMatchObject({ outcome: 'ok', output: 'went through' });
  expect(finished).not.toHaveProperty('detail');
});

describe('money and tokens', () => {
  const broken = (kind: 'reset' | 'hang'): Script => ({
    steps: [
      {
        reply: { text: 'words that do not come to an end' },
        chunk: 4,
        faults: [{ kind, after: 4, always: true, ...(kind === 'hang' ? { keepAlive: true } : {}) } as never],
      },
    ],
  });
  const spentOf = async (session: Session): Promise<number> =>
    ofType(await Array.fromAsync(session.events()), 'model.attempted').reduce(
      (sum, { usage }) => sum + usage.input + usage.cacheWrite + usage.output,
      0,
    );

  test('a request that broke is not sent again when its charge took the room', async () => {
    await using engine = await createTestEngine({ script: broken('reset') });
    const session = await engine.klaus.open({ limits: { tokens: 9_000 } });
    await session.prompt('go');
    expect(await session.advance()).toMatchObject({
      finished: { outcome: 'model_failed' },
    });
    const attempts = ofType(await Array.fromAsync(session.events()), 'model.attempted');
    expect(attempts.map(({ retryInMs }) => retryInMs)).toEqual([undefined]);
    expect(postsOf(engine)).toBe(1);
    expect(await spentOf(session)).toBeLessThanOrEqual(9_000);
  });

  test('nor is one that a crash abandoned', async () => {
    await using engine = await createTestEngine({ script: broken('hang') });
    const session = await engine.klaus.open({ limits: { tokens: 9_000 } });
    await session.prompt('go');
    const leave = new AbortController();
    session.onLive((live) => live.type === 'message.delta' && leave.abort());
    await session.advance({ signal: leave.signal });
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'limit', limit: { limit: 'tokens' } } });
    expect(postsOf(engine)).toBe(1);
    expect(await spentOf(session)).toBeLessThanOrEqual(9_000);
  });

  test('a run that is cancelled after a crash pays for the request that the crash abandoned', async () => {
    await using engine = await createTestEngine({ script: broken('hang') });
    const session = await engine.klaus.open();
    await session.prompt('go');
    const leave = new AbortController();
    session.onLive((live) => live.type === 'message.delta' && leave.abort());
    await session.advance({ signal: leave.signal });
    await session.send({ type: 'cancel' });
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'cancelled' } });
    const [started] = ofType(await Array.fromAsync(session.events()), 'turn.started');
    expect(await spentOf(session)).toBe(started!.reserved.tokens);
    expect(outcomeOf(await Array.fromAsync(session.events()))!.usage.input).toBe(started!.reserved.tokens);
  });

  test('a cheap model without a known price is not asked under a budget in dollars', async () => {
    using place = createTestHome();
    const server = await createModelServer({ script: { steps: [], fallback: { text: 'word '.repeat(100) } } });
    await using klaus = await createKlaus({
      home: place.home,
      cwd: place.workspace,
      env: { ...place.env, ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: server.url },
      settings: { model: 'anthropic/claude-sonnet-5-5', 'sandbox.driver': 'host', 'tiers.anthropic.haiku': 'missing' },
    });
    const session = await klaus.open({ limits: { usd: 5 } });
    await session.prompt(`explain ${'everything '.repeat(20)}`);
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done', usd: expect.any(Number) } });
    expect(ofType(await Array.fromAsync(session.events()), 'model.attempted').map((event) => event.model)).toEqual([
      'anthropic/claude-sonnet-5-5',
    ]);
    await server.close();
  });
});
