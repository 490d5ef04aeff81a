// Covers core/agent/context, core/agent/loop: a compaction that the user requests.
import { defineTool, type Session } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Script } from '@klaus/adapters/models';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

const NOTES = { when: { tools: false, system: 'compress the history' }, reply: { text: 'NOTES' } };
const TITLE = { when: { tools: false }, reply: { text: 'A title\nA summary' } };
const SCRIPT: Script = { contextWindow: 50_000, steps: [NOTES, TITLE], fallback: { text: 'Noted.' } };
const filler = (at: number): string => `part ${at}: ${'x'.repeat(2_000)}`;
const eventsOf = (session: Session) => Array.fromAsync(session.events());

test('an idle session is compacted in a run of its own, and the next request is smaller', async () => {
  await using engine = await createTestEngine({ script: SCRIPT });
  const session = await engine.klaus.open();
  for (let at = 0; at < 6; at++) {
    await session.prompt(filler(at));
    await session.advance();
  }
  const before = engine.server.requests.findLast(({ body }) => body.includes('"tools"'))!.body.length;
  await session.send({ type: 'compact', by: 'test' });
  expect(await session.isRunnable()).toBe(true);
  expect(await session.advance()).toMatchObject({ state: 'idle', finished: { outcome: 'done', turns: 0 } });
  const events = await eventsOf(session);
  const begun = ofType(events, 'run.started').at(-1)!;
  const types = events.filter(({ seq }) => seq >= begun.seq).map(({ type }) => type);
  expect(types).toEqual([
    'run.started',
    'compaction.requested',
    'model.requested',
    'model.attempted',
    'context.compacted',
    'run.finished',
  ]);
  expect(ofType(events, 'context.compacted')).toMatchObject([{ summary: expect.stringContaining('NOTES') }]);
  expect(ofType(events, 'run.finished').at(-1)!.usage.output).toBeGreaterThan(0);
  await session.prompt('And now?');
  await session.advance();
  const after = engine.server.requests.findLast(({ body }) => body.includes('"tools"'))!.body;
  expect(after.length).toBeLessThan(before);
  expect(after).toContain('NOTES');
  expect((await session.replay()).outcome).toBe('equal');
});

test('a session without anything to compact says so and keeps its context', async () => {
  await using engine = await createTestEngine({ script: SCRIPT });
  const session = await engine.klaus.open();
  await session.prompt('Hello.');
  await session.advance();
  await session.send({ type: 'compact', by: 'test' });
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(ofType(await eventsOf(session), 'context.compacted')).toMatchObject([{ dropped: 0 }]);
  await session.prompt('And now?');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(engine.server.requests.findLast(({ body }) => body.includes('"tools"'))!.body).toContain('Hello.');
  expect((await session.replay()).outcome).toBe('equal');
});

test('an active run compacts before its next request and continues; a prompt does not join a compaction', async () => {
  const held: { session?: Session } = {};
  const tool = defineTool({
    name: 'door',
    description: 'waits',
    input: z.object({}),
    effects: ['execute'],
    resume: 'tell',
    run: async () => {
      await held.session!.send({ type: 'compact', by: 'test' });
      return { text: 'went through' };
    },
  });
  await using engine = await createTestEngine({
    tools: [tool],
    script: {
      ...SCRIPT,
      steps: [
        NOTES,
        TITLE,
        { when: { after: 'door' }, reply: { text: 'Through.' } },
        { when: { user: '^go' }, reply: { calls: [{ name: 'door', input: {} }] } },
      ],
    },
  });
  const session = await engine.klaus.open();
  held.session = session;
  for (let at = 0; at < 4; at++) {
    await session.prompt(filler(at));
    await session.advance();
  }
  await session.prompt('go');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done', turns: 2 } });
  const types = (await eventsOf(session)).map(({ type }) => type);
  const compacted = types.indexOf('context.compacted');
  expect(types.indexOf('compaction.requested')).toBeLessThan(compacted);
  expect(types.slice(compacted).filter((type) => type === 'turn.started')).toHaveLength(1);
  expect((await session.replay()).outcome).toBe('equal');

  await session.send({ type: 'compact', by: 'test' });
  await session.prompt('Thanks.');
  await session.advance();
  expect(ofType(await eventsOf(session), 'run.started').slice(-2)).toMatchObject([
    { trigger: 'compact' },
    { trigger: 'prompt' },
  ]);
});

test('a limit that the summary would pass is kept: the history is shortened without a model', async () => {
  await using engine = await createTestEngine({ script: SCRIPT });
  const session = await engine.klaus.open();
  for (let at = 0; at < 6; at++) {
    await session.prompt(filler(at));
    await session.advance();
  }
  const count = engine.server.requests.length;
  await session.send({ type: 'limits', limits: { tokens: 1 } });
  await session.send({ type: 'compact', by: 'test' });
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
  expect(engine.server.requests).toHaveLength(count);
  expect(ofType(await eventsOf(session), 'context.compacted').at(-1)!.dropped).toBeGreaterThan(0);
});
