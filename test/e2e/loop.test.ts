// Covers core/agent/loop, adapters/models: a session through both wires.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool, type Event, type Session } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** Resolves with the first event that the test waits for. */
function nextEvent(session: Session, wanted: (event: Event) => boolean): Promise<Event> {
  return new Promise((resolve) => {
    const stop = session.subscribe(0, (event) => {
      if (!wanted(event)) return;
      queueMicrotask(() => stop());
      resolve(event);
    });
  });
}

/** A tool that the test opens like a door. */
function createGate(name: string, effects: ('read' | 'execute')[] = ['execute']) {
  const waiting: (() => void)[] = [];
  const entered: string[] = [];
  const tool = defineTool({
    name,
    description: 'waits',
    input: z.object({ tag: z.string().optional() }),
    effects,
    resume: 'tell',
    run: ({ tag }, context) =>
      new Promise((resolve) => {
        entered.push(tag ?? '');
        waiting.push(() => resolve({ text: `opened ${tag ?? ''}` }));
        context.signal.addEventListener('abort', () => resolve({ text: 'stopped', isError: true }), { once: true });
      }),
  });
  return { tool, entered, open: () => waiting.splice(0).forEach((go) => go()) };
}

describe('messages while a run is under way', () => {
  test('a steer is seen at the next model call, and the run does not end before', async () => {
    const gate = createGate('door');
    await using engine = await createTestEngine({
      tools: [gate.tool],
      script: {
        steps: [
          { when: { turn: 0 }, reply: { calls: [{ name: 'door', input: {} }] } },
          { when: { turn: 1, user: 'also this' }, reply: { text: 'Both are done.' } },
        ],
      },
    });
    const session = await engine.klaus.open();
    await session.prompt('first');
    const started = nextEvent(session, (event) => event.type === 'tool.started');
    const running = session.advance();
    await started;
    await session.prompt('also this', { delivery: 'steer' });
    gate.open();
    expect(await running).toMatchObject({ state: 'idle', finished: { outcome: 'done' } });
    const origins = ofType(await Array.fromAsync(session.events()), 'message.added').map(
      (event) => event.message.origin,
    );
    expect(origins).toEqual(['user', 'model', 'steer', 'model']);
    expect(ofType(await Array.fromAsync(session.events()), 'run.finished')).toHaveLength(1);
  });

  test('a queued message starts a separate run after this one', async () => {
    const gate = createGate('door');
    await using engine = await createTestEngine({
      tools: [gate.tool],
      script: {
        steps: [
          { when: { turn: 0 }, reply: { calls: [{ name: 'door', input: {} }] } },
          { when: { turn: 1 }, reply: { text: 'First is done.' } },
          { when: { turn: 2, user: 'second' }, reply: { text: 'Second is done.' } },
        ],
      },
    });
    const session = await engine.klaus.open();
    await session.prompt('first');
    const started = nextEvent(session, (event) => event.type === 'tool.started');
    const running = session.advance();
    await started;
    await session.prompt('second', { delivery: 'queue' });
    gate.open();
    await running;
    expect(ofType(await Array.fromAsync(session.events()), 'run.finished').map((event) => event.outcome)).toEqual([
      'done',
      'done',
    ]);
    const order = (await Array.fromAsync(session.events())).map((event) => event.type);
    expect(order.indexOf('run.finished')).toBeLessThan(order.lastIndexOf('run.started'));
  });

  test('a cancel stops a tool, keeps call and result together, and the session continues', async () => {
    const gate = createGate('door');
    await using engine = await createTestEngine({
      tools: [gate.tool],
      script: {
        steps: [
          {
            when: { turn: 0 },
            reply: {
              text: 'I wait.',
              calls: [
                { name: 'door', input: {} },
                { name: 'door', input: {} },
              ],
            },
          },
          { when: { turn: 1, user: 'again' }, reply: { text: 'Here again.' } },
        ],
      },
    });
    const session = await engine.klaus.open();
    await session.prompt('first');
    const started = nextEvent(session, (event) => event.type === 'tool.started');
    const running = session.advance();
    await started;
    await session.send({ type: 'cancel' });
    expect(await running).toMatchObject({ finished: { outcome: 'cancelled' } });
    expect(ofType(await Array.fromAsync(session.events()), 'tool.finished').map((event) => event.outcome)).toEqual([
      'cancelled',
      'cancelled',
    ]);
    expect(engine.server.requests.filter((request) => request.method === 'POST')).toHaveLength(1);
    await session.prompt('again');
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  });

  test('a cancel stops a model that hangs, and the words that came are kept', async () => {
    await using engine = await createTestEngine({
      script: {
        steps: [
          {
            reply: { text: 'some words that come' },
            chunk: 5,
            faults: [{ kind: 'hang', after: 4, keepAlive: true, always: true }],
          },
        ],
      },
    });
    const session = await engine.klaus.open();
    await session.prompt('first');
    const words = new Promise<void>((resolve) => session.onLive((live) => live.type === 'message.delta' && resolve()));
    const running = session.advance();
    await words;
    await session.send({ type: 'cancel' });
    expect(await running).toMatchObject({ finished: { outcome: 'cancelled' } });
    expect(ofType(await Array.fromAsync(session.events()), 'model.attempted').at(-1)).toMatchObject({
      outcome: 'cancelled',
    });
    expect(ofType(await Array.fromAsync(session.events()), 'message.added').at(-1)!.message.parts[0]).toMatchObject({
      type: 'text',
    });
  });
});

test('calls that only read run side by side; the others one by one', async () => {
  const reads = createGate('look', ['read']);
  await using engine = await createTestEngine({
    tools: [reads.tool],
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: ['a', 'b', 'c'].map((tag) => ({ name: 'look', input: { tag } })) } },
        { when: { turn: 1, result: 'opened' }, reply: { text: 'done' } },
      ],
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('look');
  let count = 0;
  const all = nextEvent(session, (event) => event.type === 'tool.started' && ++count === 3);
  const running = session.advance();
  await all;
  expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')).toHaveLength(0);
  await expect.poll(() => reads.entered).toEqual(['a', 'b', 'c']);
  reads.open();
  await running;
  const request = engine.server.requests.at(-1)!.json as { messages: { content: { tool_use_id?: string }[] }[] };
  expect(request.messages.at(-1)!.content.map((block) => block.tool_use_id)).toEqual([
    'call_0_0',
    'call_0_1',
    'call_0_2',
  ]);
});

test('calls with the same id from a server are distinguished in the log and answered correctly', async () => {
  const again = { name: 'read_file', id: 'same', input: { path: 'README.md' } };
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [again] } },
        { when: { turn: 1 }, reply: { calls: [again] } },
        { when: { turn: 2 }, reply: { text: 'Read twice.' } },
      ],
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('read');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(ofType(await Array.fromAsync(session.events()), 'tool.finished').map((event) => event.call)).toEqual([
    'same',
    'same_turn2',
  ]);
});

describe('instructions in the workspace', () => {
  test('AGENTS.md of the workspace and the nearest one of a touched folder are loaded once, as untrusted text', async () => {
    await using engine = await createTestEngine({
      files: {
        'AGENTS.md': 'Root rules.',
        'CLAUDE.md': 'never seen',
        'lib/CLAUDE.md': 'Library rules.',
        'lib/a.js': 'a',
        'lib/b.js': 'b',
      },
      script: {
        steps: [
          {
            when: { turn: 0 },
            reply: {
              calls: [
                { name: 'read_file', input: { path: 'lib/a.js' } },
                { name: 'read_file', input: { path: 'lib/b.js' } },
              ],
            },
          },
          { when: { turn: 1 }, reply: { text: 'read' } },
        ],
      },
    });
    const session = await engine.klaus.open();
    await session.prompt('read');
    await session.advance();
    const found = ofType(await Array.fromAsync(session.events()), 'message.added').filter(
      (event) => event.message.origin === 'context',
    );
    expect(found.map((event) => event.message.id)).toEqual(['context:', 'context:lib']);
    const sent = engine.server.requests.at(-1)!.body;
    expect(sent).toContain('Root rules.');
    expect(sent).toContain('Library rules.');
    expect(sent).not.toContain('never seen');
    expect(sent).toContain('untrusted');
  });
});

describe('compaction', () => {
  test('a full window is summarised by the cheap model; calls keep their results; the log stays complete', async () => {
    const filler = 'x'.repeat(4_000);
    await using engine = await createTestEngine({
      files: { 'big.txt': filler },
      script: {
        contextWindow: 12_000,
        maxOutputTokens: 1_024,
        steps: [
          { when: { tools: false, system: 'compress the history' }, reply: { text: 'NOTES: read big.txt thrice' } },
          { when: { user: 'NOTES: read big.txt' }, reply: { text: 'I remember.' } },
        ],
        fallback: { text: 'Reading.', calls: [{ name: 'read_file', input: { path: 'big.txt' } }] },
      },
    });
    const session = await engine.klaus.open();
    await session.prompt('please remember MAGIC-WORD');
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
    const [compacted] = ofType(await Array.fromAsync(session.events()), 'context.compacted');
    expect(compacted!.summary).toContain('NOTES: read big.txt thrice');
    expect(compacted!.summary).toContain('MAGIC-WORD');
    const after = engine.server.requests.at(-1)!.json as {
      messages: { role: string; content: { type: string; tool_use_id?: string; id?: string }[] }[];
    };
    const blocks = after.messages.flatMap((message) => message.content);
    const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    expect(results).toEqual(uses);
    const reads = ofType(await Array.fromAsync(session.events()), 'tool.finished').filter((event) =>
      event.output.includes(filler),
    );
    expect(reads.length).toBeGreaterThan(1);
    expect(
      ofType(await Array.fromAsync(session.events()), 'model.attempted').some(
        (event) => event.purpose === 'compaction',
      ),
    ).toBe(true);
  });

  test('a provider that says the prompt is too long gets a shorter one', async () => {
    await using engine = await createTestEngine({
      script: {
        steps: [
          { when: { turn: 0, user: 'first' }, reply: { text: 'one' } },
          { when: { tools: false, system: 'compress the history' }, reply: { text: 'NOTES' } },
          { when: { user: 'NOTES' }, reply: { text: 'It fits now.' } },
          {
            when: { turn: 1 },
            reply: { text: 'never' },
            faults: [
              {
                kind: 'status',
                status: 400,
                message: 'prompt is too long: 200001 tokens > 200000 maximum',
                always: true,
              },
            ],
          },
        ],
      },
    });
    const session = await engine.klaus.open();
    await session.prompt('first');
    await session.advance();
    await session.prompt('second');
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
    expect(ofType(await Array.fromAsync(session.events()), 'context.compacted')).toHaveLength(1);
  });
});

describe('limits', () => {
  const READS = {
    steps: [],
    fallback: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
    price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  };

  for (const { cases, tags } of splitCases(
    [
      ['tool calls', { limits: { toolCalls: 3 } }, { limit: 'toolCalls', used: 3, cap: 3 }],
      ['turns', { limits: { turns: 2 } }, { limit: 'turns', used: 2, cap: 2 }],
      ['tokens', { limits: { tokens: 9_000 } }, { limit: 'tokens', cap: 9_000 }],
      ['tokens before the first turn', { limits: { tokens: 10 } }, { limit: 'tokens', used: 0, cap: 10 }],
      ['dollars', { limits: { usd: 0.012 } }, { limit: 'usd', cap: 0.012 }],
    ],
    2,
  ))
    test.each(cases)(
      '%s end the run before they are exceeded, and the run continues with a higher limit',
      { tags },
      async (_, given, limit) => {
        await using engine = await createTestEngine({ script: READS });
        const session = await engine.klaus.open(given);
        await session.prompt('read on');
        const { finished } = (await session.advance()) as { finished?: { outcome: string } };
        expect(finished).toMatchObject({ outcome: 'limit', limit });
        const { usage, usd } = outcomeOf(await Array.fromAsync(session.events()))!;
        if ('tokens' in given.limits) expect(usage.input + usage.output + usage.cacheWrite).toBeLessThanOrEqual(9_000);
        if ('usd' in given.limits) expect(usd).toBeLessThanOrEqual(0.012);
        const before = engine.server.requests.length;
        await session.send({ type: 'limits', limits: { tokens: 30_000, usd: 0, turns: 52, toolCalls: 52 } });
        await session.send({ type: 'resume', onAsk: 'deny' });
        await session.advance();
        expect(engine.server.requests.length).toBeGreaterThan(before);
        expect(ofType(await Array.fromAsync(session.events()), 'run.finished')).toHaveLength(2);
      },
    );

  test('a run that may wait parks at the limit; an approval continues with the offer', async () => {
    await using engine = await createTestEngine({ script: READS });
    const session = await engine.klaus.open({ limits: { toolCalls: 2 } });
    await session.prompt('read on', { onAsk: 'wait' });
    const parked = await session.advance();
    expect(parked).toMatchObject({
      state: 'parked',
      approvals: [{ subject: { kind: 'limit', limit: 'toolCalls', cap: 2 } }],
    });
    const approval = ofType(await Array.fromAsync(session.events()), 'approval.asked')[0]!.approval;
    await expect(engine.klaus.answer(approval, 'approved')).rejects.toMatchObject({ code: 'usage' });
    await engine.klaus.answer(approval, 'approved', { raise: true });
    expect(await session.advance()).toMatchObject({ state: 'parked' });
    expect(ofType(await Array.fromAsync(session.events()), 'tool.finished').length).toBeGreaterThan(2);
    await engine.klaus.answer(
      ofType(await Array.fromAsync(session.events()), 'approval.asked')[1]!.approval,
      'rejected',
    );
    expect(await session.advance()).toMatchObject({ state: 'idle', finished: { outcome: 'limit' } });
  });

  test('80 % is announced once', async () => {
    await using engine = await createTestEngine({ script: READS });
    const session = await engine.klaus.open({ limits: { toolCalls: 5 } });
    await session.prompt('read on');
    await session.advance();
    expect(ofType(await Array.fromAsync(session.events()), 'usage.counted')).toMatchObject([
      { limit: 'toolCalls', percent: 80, used: 4, cap: 5 },
    ]);
  });
});

test('invalid tool input goes back to the model, and too often in a row ends the run saying so', async () => {
  await using engine = await createTestEngine({
    script: { steps: [], fallback: { calls: [{ name: 'read_file', input: { nope: 1 } }] } },
    settings: { maxRetries: 2 },
  });
  const session = await engine.klaus.open();
  await session.prompt('read');
  expect(await session.advance()).toMatchObject({
    finished: { outcome: 'failed', reason: expect.stringMatching(/\b3\b/) },
  });
  expect(
    ofType(await Array.fromAsync(session.events()), 'gate.decided').every((event) => event.verdict === 'deny'),
  ).toBe(true);
});

test('a secret in a file never reaches the model or the log, and survives an edit', async () => {
  const token = ['ghp', '_', 'a1'.repeat(18)].join('');
  const placeholder = "{{result | match '(\\[secret:github-token:\\w+\\])'}}";
  await using engine = await createTestEngine({
    files: { 'config.js': `export const token = '${token}';\n` },
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name: 'read_file', input: { path: 'config.js' } }] } },
        {
          when: { turn: 1 },
          reply: {
            calls: [
              {
                name: 'edit_file',
                input: {
                  path: 'config.js',
                  edits: [{ old: `token = '${placeholder}'`, new: `key = '${placeholder}'` }],
                },
              },
            ],
          },
        },
        { when: { turn: 2 }, reply: { text: 'renamed' } },
      ],
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('rename it');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(engine.server.requests.map((request) => request.body).join()).not.toContain(token);
  expect(JSON.stringify(await Array.fromAsync(session.events()))).not.toContain(token);
  expect(readFileSync(join(engine.place.workspace, 'config.js'), 'utf8')).toBe(`export const key = '${token}';\n`);
});

test('thinking goes back with its signature', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        {
          when: { turn: 0 },
          reply: { thinking: 'I should look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
        },
        { when: { turn: 1 }, reply: { text: 'seen' } },
      ],
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('look');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(engine.server.requests.at(-1)!.body).toMatch(/"type":"thinking".*I should look\..*"signature"/);
});

test('a long prompt and a long answer are titled and summarised by the cheap model', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { tools: false, system: 'Name a conversation' }, reply: { text: 'A short title\nAll was explained.' } },
        { when: { turn: 0 }, reply: { text: 'word '.repeat(100) } },
      ],
    },
  });
  const session = await engine.klaus.open();
  await session.prompt(`explain ${'everything '.repeat(20)}`);
  await session.advance();
  expect((await engine.klaus.sessions())[0]).toMatchObject({
    id: session.id,
    title: 'A short title',
    summary: 'All was explained.',
  });
});

test('a model that never gives a byte is given up after the idle time', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [{ reply: { text: 'never' }, faults: [{ kind: 'hang', after: 0, keepAlive: false, always: true }] }],
    },
    settings: { 'retry.idleMs': 60, 'retry.attempts': 2 },
  });
  const session = await engine.klaus.open();
  await session.prompt('say something');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'model_failed' } });
  expect(ofType(await Array.fromAsync(session.events()), 'model.attempted').map((event) => event.outcome)).toEqual([
    'idle',
    'idle',
  ]);
});

test('prefixes stay byte-stable over turns, and calls beyond the grant are denied without an approver', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'true', network: true } }] } },
        { when: { turn: 1, result: 'approval' }, reply: { text: 'I may not.' } },
      ],
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('fetch');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'denied' } });
  const [first, second] = engine.server.requests
    .filter((request) => request.method === 'POST')
    .map((request) => request.json as { system: unknown; tools: unknown; messages: unknown[] });
  expect(second!.system).toEqual(first!.system);
  expect(second!.tools).toEqual(first!.tools);
});
