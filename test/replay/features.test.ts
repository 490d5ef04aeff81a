// Covers core/agent/replay: replay of every feature.
import { createHash } from 'node:crypto';
import { createToolRegistry } from '@klaus/core/agent';
import { replay } from '@klaus/core/replay';
import { builtinTools } from '@klaus/adapters/tools';
import { defineTool, type Event } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { toProject } from '../receipts/project.ts';

const latin = defineTool({
  name: 'to_latin',
  description: 'Translates a text into Latin.',
  input: z.object({ text: z.string() }),
  effects: ['execute'],
  resume: 'tell',
  deferred: true,
  run: async ({ text }) => ({ text: `LATIN ${text.length}` }),
});

function create(): Promise<TestEngine> {
  return createTestEngine({
    tools: [latin],
    files: toProject(true),
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'A title\nA summary' } },
        {
          when: { turn: 0 },
          reply: { calls: [{ name: 'tool_search', input: { query: 'latin' } }] },
          faults: [
            { kind: 'status', status: 529 },
            { kind: 'status', status: 529 },
            { kind: 'status', status: 529 },
          ],
        },
        {
          when: { turn: 1 },
          reply: { calls: [{ name: 'use_tool', input: { name: 'to_latin', input: { text: 'ave' } } }] },
        },
        { when: { turn: 2 }, reply: { calls: [{ name: 'recall', input: { query: 'LATIN' } }] } },
        { when: { turn: 3 }, reply: { calls: [{ name: 'run_tests', input: {} }] } },
        { when: { turn: 4 }, reply: { text: 'All tests pass.' } },
        { when: { turn: 5 }, reply: { calls: [{ name: 'write_file', input: { path: 'x.md', content: 'x' } }] } },
        { when: { turn: 6 }, reply: { text: 'Written, and all tests still pass.' } },
        { when: { turn: 7 }, reply: { text: 'Too late.' }, delay: 3_000 },
      ],
    },
    settings: { 'retry.attempts': 2, 'retry.waitMs': 0 },
  });
}

async function play({ klaus }: TestEngine): Promise<string> {
  const session = await klaus.open({ mode: 'auto' });
  await session.prompt('Never touch legacy.', { pin: true, waitForModelMs: 60_000 });
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  const { pin } = await session.pin('Speak plainly.', { by: 'test' });
  await session.verify({ by: 'test' });
  await session.prompt('write it down');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  await session.unpin(pin);
  await session.prompt('and now wait');
  const unsubscribe = session.subscribe(0, (event) => {
    if (event.type === 'turn.started' && event.turn === 8) {
      void session.send({ type: 'cancel', by: 'test', reason: 'A timer ran out.' });
    }
  });
  await session.advance();
  unsubscribe();
  return session.id;
}

function replayWith({ klaus }: TestEngine, events: readonly Event[]) {
  const { maxRetries, retry, compactAt } = klaus.configuration.values;
  let count = 0;
  return replay({
    events,
    tools: createToolRegistry(builtinTools),
    settings: {
      maxRetries,
      retry,
      compactAt,
      approvalTtlMs: 1_000,
      maxOutputTokens: 1,
      maxToolOutputContext: 1,
      maxSearchResults: 1,
      execLimits: { timeoutMs: 1, memoryMb: 1, cpus: 1, processes: 1 },
      gitIdentity: { name: '', email: '' },
      deploy: { netlifyUrl: '', vercelUrl: '', cloudfrontUrl: '', retryMs: 1 },
      secretPatterns: [],
      hiddenPatterns: [],
      endProcesses: 'close',
    },
    ids: {
      ulid: () => `01HZZZZZZZZZZZZZZZZZZ${String(count++).padStart(5, '0')}`,
      digest: (text) => createHash('sha256').update(text).digest('hex'),
      random: () => 0.5,
    },
    idle: () => new Promise((resolve) => setImmediate(resolve)),
  });
}

test('found tools, recall, pins, checks, an outage and a cancel with a reason are replayed equally', async () => {
  await using engine = await create();
  const id = await play(engine);
  const events = await Array.fromAsync((await engine.klaus.session(id)).events());
  const ended = ofType(events, 'run.finished');
  expect(ended[0]).toMatchObject({ claim: 'verified', evidence: [{ freshness: 'fresh' }] });
  expect(ended.at(-1)).toMatchObject({ outcome: 'cancelled', reason: 'A timer ran out.', by: 'test' });
  expect(ofType(events, 'model.attempted').filter(({ waitUntil }) => waitUntil !== undefined).length).toBe(3);
  expect(ofType(events, 'context.pinned').length).toBe(2);
  const replayed = await engine.klaus.handle(id).replay();
  expect(replayed).toMatchObject({ outcome: 'equal' });
  expect(replayed.events + replayed.skipped).toBe(events.length);

  // Without the tool that was added to the engine nothing can be said.
  expect(await replayWith(engine, events)).toMatchObject({
    outcome: 'unplayable',
    reason: expect.stringContaining('to_latin'),
  });
});

test('a different claim status is reported, and so is a moved pin', async () => {
  await using engine = await createTestEngine({
    files: toProject(true),
    script: {
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name: 'run_tests', input: {} }] } },
        { when: { turn: 1 }, reply: { text: 'All tests pass.' } },
      ],
    },
  });
  const session = await engine.klaus.open({ mode: 'auto' });
  await session.prompt('Run them.', { pin: true });
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(await replayWith(engine, events)).toMatchObject({ outcome: 'equal' });
  const forged = events.map((event): Event =>
    event.type === 'run.finished' ? { ...event, claim: 'contradicted' } : event,
  );
  expect(await replayWith(engine, forged)).toMatchObject({
    outcome: 'different',
    difference: { type: 'run.finished', field: 'claim', recorded: 'contradicted', replayed: 'verified' },
  });
  const lying = events.map((event): Event =>
    event.type === 'context.pinned' ? { ...event, text: 'Something else.' } : event,
  );
  expect(await replayWith(engine, lying)).toMatchObject({
    outcome: 'different',
    difference: { type: 'context.pinned', field: 'text' },
  });
});
